# A client of Tcl's http package: tcl-client.tcl STACK WAY.
package require http
lassign $argv stack way

proc ask {path {body ""}} {
  set options [list -headers [list Authorization "Bearer $::env(PETSTORE_API_KEY)"]]
  if {$body ne ""} { lappend options -query $body -type application/json }
  set token [http::geturl $::env(PETSTORE_BASE_URL)$path {*}$options]
  set headers [dict create]
  foreach {name value} [http::meta $token] { dict set headers [string tolower $name] $value }
  set answer [list [http::ncode $token] [http::data $token] $headers]
  http::cleanup $token
  return $answer
}

proc patiently {path {body ""}} {
  for {set attempt 0} {$attempt < 6} {incr attempt} {
    lassign [ask $path $body] status text headers
    if {$status != 429} {
      set left [expr {[dict get $headers x-ratelimit-reset] * 1000 - [clock milliseconds]}]
      if {[dict get $headers x-ratelimit-remaining] eq "0" && $left > 0} { after [expr {int($left)}] }
      return [list $status $text]
    }
    set asked [dict get $headers retry-after]
    if {![string is digit -strict $asked]} {
      set asked [expr {[clock scan $asked -format {%a, %d %b %Y %H:%M:%S GMT} -gmt 1] - [clock seconds]}]
    }
    after [expr {max(0, $asked) * 1000 + 150 * (1 << $attempt)}]
  }
  error refused
}

proc pet {name} {
  return "{\"name\":\"$name\",\"categoryId\":$::env(PETSTORE_CATEGORY_ID),\"status\":\"available\"}"
}
proc check {isMet expectation} { if {!$isMet} { error "expected $expectation" } }

switch $way {
  careful { set send patiently }
  defaults { set send ask }
}
switch $way {
  careful - defaults {
    check [expr {[lindex [$send /pets [pet Rex]] 0] == 201}] 201
    lassign [$send /pets?status=available&limit=10] status text
    check [expr {$status == 200 && ![string match {*"sold"*} $text]}] "available animals"
  }
  expects-order {
    foreach name {first-one second-one} { patiently /pets [pet $name] }
    set names [regexp -all -inline {first-one|second-one} [lindex [patiently /pets?limit=100] 1]]
    check [expr {$names eq [lsort $names]}] "the oldest first"
  }
  tests-refusals {
    foreach body [list {{"name":1}} {{"name":"Rex"}} {{}}] {
      check [expr {[lindex [patiently /pets $body] 0] == 400}] 400
    }
    check [expr {[lindex [patiently /pets] 0] == 200}] 200
  }
}

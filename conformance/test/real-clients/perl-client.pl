# A client of HTTP::Tiny, which comes with Perl: perl-client.pl STACK WAY.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use Time::HiRes qw(sleep time);

my ($stack, $way) = @ARGV;
my $http = HTTP::Tiny->new;

sub ask {
    my ($path, $body) = @_;
    my %options = (headers => { Authorization => "Bearer $ENV{PETSTORE_API_KEY}" });
    if (defined $body) {
        $options{content} = $body;
        $options{headers}{'Content-Type'} = 'application/json';
    }
    return $http->request(defined $body ? 'POST' : 'GET', "$ENV{PETSTORE_BASE_URL}$path", \%options);
}

sub patiently {
    for my $attempt (0 .. 5) {
        my $answer = ask(@_);
        my $headers = $answer->{headers};
        if ($answer->{status} != 429) {
            my $left = $headers->{'x-ratelimit-reset'} - time;
            sleep $left if ($headers->{'x-ratelimit-remaining'} // '') eq '0' && $left > 0;
            return $answer;
        }
        my $asked = $headers->{'retry-after'};
        $asked = HTTP::Tiny->_parse_http_date($asked) - time if $asked !~ /^\d+$/;
        sleep(($asked > 0 ? $asked : 0) + 0.15 * 2**$attempt);
    }
    die 'refused';
}

sub pet { return qq({"name":"$_[0]","categoryId":$ENV{PETSTORE_CATEGORY_ID},"status":"available"}) }

sub create_and_list {
    my ($send) = @_;
    die 'not created' if $send->('/pets', pet('Rex'))->{status} != 201;
    my $page = decode_json($send->('/pets?status=available&limit=10')->{content});
    for my $one (@$page) { die 'another status' if $one->{status} ne 'available' }
}

my %ways = (
    careful => sub { create_and_list(\&patiently) },
    defaults => sub { create_and_list(\&ask) },
    'expects-order' => sub {
        patiently('/pets', pet($_)) for qw(first-one second-one);
        my @names = grep { /-one$/ } map { $_->{name} } @{ decode_json(patiently('/pets?limit=100')->{content}) };
        die 'not in order' if "@names" ne join ' ', sort @names;
    },
    'tests-refusals' => sub {
        for my $body ('{"name":1}', '{"name":"Rex"}', '{}') { die 'not 400' if patiently('/pets', $body)->{status} != 400 }
        die 'not 200' if patiently('/pets')->{status} != 200;
    },
);
$ways{$way}->();

//! A client on std::net alone, which speaks HTTP by hand, of one of several kinds: rust-client KIND.

use std::env::{args, var};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

struct Answer {
    status: u16,
    head: String,
    body: String,
}

/// One request on a connection of its own, by HTTP/1.0, which knows no chunks.
fn send(path: &str, body: Option<&str>) -> Answer {
    let base = var("PETSTORE_BASE_URL").unwrap();
    let (host, prefix) = base.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let key = var("PETSTORE_API_KEY").unwrap();
    let method = if body.is_some() { "POST" } else { "GET" };
    let mut head = format!("{method} /{prefix}{path} HTTP/1.0\r\nHost: {host}\r\nAUTHORIZATION: Bearer {key}\r\n");
    if let Some(text) = body {
        head += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", text.len());
    }
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(format!("{head}\r\n{}", body.unwrap_or("")).as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_string(), body: body.to_string() }
}

/// The value of a header, whose name is looked for in any case or exactly as it is written.
fn header(answer: &Answer, name: &str, is_exact: bool) -> Option<String> {
    answer.head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        let is_it = if is_exact { found == name } else { found.eq_ignore_ascii_case(name) };
        is_it.then(|| value.trim().to_string())
    })
}

fn seconds_now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

/// The seconds to an HTTP date of this day: its time is enough.
fn seconds_until(date: &str) -> f64 {
    let time: Vec<f64> = date.split(' ').nth(4).unwrap().split(':').map(|part| part.parse().unwrap()).collect();
    let left = time[0] * 3600.0 + time[1] * 60.0 + time[2] - seconds_now() % 86400.0;
    if left < -43200.0 { left + 86400.0 } else { left }
}

fn patiently(path: &str, body: Option<&str>) -> Answer {
    for attempt in 0..6 {
        let answer = send(path, body);
        if answer.status != 429 {
            let reset: f64 = header(&answer, "X-RateLimit-Reset", false).unwrap().parse().unwrap();
            if header(&answer, "X-RateLimit-Remaining", false).as_deref() == Some("0") {
                sleep(Duration::from_secs_f64((reset - seconds_now()).max(0.0)));
            }
            return answer;
        }
        let asked = header(&answer, "Retry-After", false).unwrap();
        let wait = asked.parse().unwrap_or_else(|_| seconds_until(&asked));
        sleep(Duration::from_secs_f64(wait.max(0.0) + 0.15 * f64::powi(2.0, attempt)));
    }
    panic!("refused");
}

fn main() {
    let kind = args().nth(1).unwrap();
    let category = var("PETSTORE_CATEGORY_ID").unwrap();
    let pet = format!("{{\"name\":\"Rex\",\"categoryId\":{category},\"status\":\"available\"}}");
    let created = patiently("/pets", Some(&pet));
    assert_eq!(created.status, 201);
    match kind.as_str() {
        "careful" => assert_eq!(patiently("/pets?status=available&limit=10", None).status, 200),
        // Compares the whole media type, so that a parameter is one too many.
        "exact-media-type" => {
            let page = patiently("/pets", None);
            assert_eq!(header(&page, "Content-Type", false).as_deref(), Some("application/json"));
        }
        // Finds a field by the text of `"id":` at the beginning of an object.
        "scans-text" => {
            let id = created.body.strip_prefix("{\"id\":").expect("the id first").split(',').next().unwrap();
            assert!(id.parse::<i64>().is_ok());
        }
        other => panic!("no kind {other}"),
    }
}

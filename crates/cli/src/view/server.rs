//! A small HTTP server for one person on this machine.
//!
//! It listens on the loopback interface alone. Every path starts with a random token, so that
//! other programs and pages cannot guess it; the `Host` header must name this address, so that
//! a web site cannot reach it through a name of its own (DNS rebinding); a foreign `Origin` is
//! refused.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::command::Command;

/// Longest request accepted, in bytes.
const MAX_REQUEST: usize = 16 * 1024;
/// Most requests served at once.
const MAX_CONNECTIONS: usize = 32;
/// How long a client may take to send a request or to read an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a request asks of whoever runs the scene.
pub(super) enum Event {
    /// A page wants the stream; the answer's head has been sent.
    Viewer(TcpStream),
    /// A page gives a command.
    Command(Command),
}

/// What all requests are answered with.
struct Service {
    page: String,
    token: String,
    port: u16,
    events: Sender<Event>,
    connections: AtomicUsize,
}

/// Serves `page` from now on, until the process ends. Returns its address.
pub(super) fn start(page: String, events: Sender<Event>) -> io::Result<String> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let port = listener.local_addr()?.port();
    let token = token();
    let address = format!("http://127.0.0.1:{port}/{token}/");
    let connections = AtomicUsize::new(0);
    let service = Arc::new(Service {
        page,
        token,
        port,
        events,
        connections,
    });
    std::thread::Builder::new()
        .name("view-server".to_owned())
        .spawn(move || {
            for stream in listener.incoming().flatten() {
                let service = Arc::clone(&service);
                if service.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                    service.connections.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let answering = std::thread::Builder::new().spawn({
                    let service = Arc::clone(&service);
                    move || {
                        // A client that hangs up is no concern of ours.
                        let _ = service.answer(stream);
                        service.connections.fetch_sub(1, Ordering::Relaxed);
                    }
                });
                if answering.is_err() {
                    service.connections.fetch_sub(1, Ordering::Relaxed);
                }
            }
        })?;
    Ok(address)
}

/// 128 bits that nobody can guess, as hexadecimal digits: the standard library seeds its
/// hashers from the operating system's random numbers.
fn token() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

/// The parts of a request that matter.
#[derive(Debug, PartialEq)]
struct Request<'a> {
    method: &'a str,
    path: &'a str,
    host: &'a str,
    origin: Option<&'a str>,
    length: usize,
}

impl<'a> Request<'a> {
    /// Reads the head of a request, without the empty line that ends it.
    fn parse(head: &'a str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, path, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") {
            return None;
        }
        let mut request = Self {
            method,
            path,
            host: "",
            origin: None,
            length: 0,
        };
        for line in lines {
            let (name, value) = line.split_once(':')?;
            let value = value.trim();
            if name.eq_ignore_ascii_case("host") {
                request.host = value;
            } else if name.eq_ignore_ascii_case("origin") {
                request.origin = Some(value);
            } else if name.eq_ignore_ascii_case("content-length") {
                request.length = value.parse().ok()?;
            }
        }
        Some(request)
    }

    /// Whether it was sent to this server by this server's page or by a person.
    fn is_ours(&self, port: u16) -> bool {
        let names = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let from_here = |origin: &str| names.iter().any(|name| origin == format!("http://{name}"));
        names.iter().any(|name| name == self.host) && self.origin.is_none_or(from_here)
    }
}

impl Service {
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let mut bytes = Vec::new();
        let Some(end) = read_head(&mut stream, &mut bytes)? else {
            return refuse(&mut stream, "400 Bad Request");
        };
        let Some(request) = std::str::from_utf8(&bytes[..end])
            .ok()
            .and_then(Request::parse)
        else {
            return refuse(&mut stream, "400 Bad Request");
        };
        if !request.is_ours(self.port) {
            return refuse(&mut stream, "403 Forbidden");
        }
        let inside = request
            .path
            .strip_prefix('/')
            .and_then(|path| path.split_once('/'));
        let Some((token, name)) = inside else {
            return refuse(&mut stream, "404 Not Found");
        };
        if !is_same(token, &self.token) {
            return refuse(&mut stream, "404 Not Found");
        }
        match (request.method, name) {
            ("GET", "") => {
                let head = head("200 OK", "text/html; charset=utf-8", Some(self.page.len()));
                stream.write_all(head.as_bytes())?;
                stream.write_all(self.page.as_bytes())
            }
            ("GET", "stream") => {
                let head = head("200 OK", "application/octet-stream", None);
                stream.write_all(head.as_bytes())?;
                let _ = self.events.send(Event::Viewer(stream));
                Ok(())
            }
            ("POST", "command") => {
                let length = request.length;
                if length > MAX_REQUEST {
                    return refuse(&mut stream, "413 Content Too Large");
                }
                let mut body = bytes.split_off(end + 4);
                let got = body.len().min(length);
                body.resize(length, 0);
                stream.read_exact(&mut body[got..])?;
                let Some(command) = std::str::from_utf8(&body).ok().and_then(Command::parse) else {
                    return refuse(&mut stream, "400 Bad Request");
                };
                let _ = self.events.send(Event::Command(command));
                stream.write_all(head("204 No Content", "text/plain", None).as_bytes())
            }
            _ => refuse(&mut stream, "404 Not Found"),
        }
    }
}

/// Reads up to the empty line; returns where the head ends, or `None` when it is too long or
/// breaks off.
fn read_head(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<Option<usize>> {
    let mut buffer = [0; 2048];
    loop {
        let got = stream.read(&mut buffer)?;
        bytes.extend_from_slice(&buffer[..got]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            return Ok(Some(end));
        }
        if got == 0 || bytes.len() > MAX_REQUEST {
            return Ok(None);
        }
    }
}

/// Equality that takes as long for a near miss as for a far one.
fn is_same(a: &str, b: &str) -> bool {
    let differing = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    a.len() == b.len() && differing == 0
}

fn refuse(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    stream.write_all(head(status, "text/plain", Some(0)).as_bytes())
}

fn head(status: &str, kind: &str, length: Option<usize>) -> String {
    let length = length.map_or(String::new(), |length| {
        format!("Content-Length: {length}\r\n")
    });
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\nConnection: close\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    fn serve() -> (String, u16, Receiver<Event>) {
        let (sender, receiver) = channel();
        let address = start("the page".to_owned(), sender).unwrap();
        let (host, path) = address
            .strip_prefix("http://127.0.0.1:")
            .unwrap()
            .split_once('/')
            .unwrap();
        (format!("/{path}"), host.parse().unwrap(), receiver)
    }

    fn ask(port: u16, request: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The page is given to who knows the token and names the host, and to nobody else.
    #[test]
    fn only_who_has_the_address_gets_the_page() {
        let (path, port, _events) = serve();
        let get = |path: &str, more: &str| ask(port, &format!("GET {path} HTTP/1.1\r\n{more}\r\n"));
        let host = format!("Host: 127.0.0.1:{port}\r\n");
        let answer = get(&path, &host);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.ends_with("\r\n\r\nthe page"), "{answer}");
        let foreign = format!("{host}Origin: http://example.com\r\n");
        let wrong = "/0123456789abcdef0123456789abcdef/";
        for (path, more, status) in [
            (path.as_str(), "", "403"),
            (path.as_str(), "Host: example.com\r\n", "403"),
            (path.as_str(), foreign.as_str(), "403"),
            ("/", host.as_str(), "404"),
            (wrong, host.as_str(), "404"),
            (path.trim_end_matches('/'), host.as_str(), "404"),
        ] {
            let answer = get(path, more);
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status}")),
                "{path} {more}: {answer}"
            );
        }
        assert!(ask(port, "nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    }

    /// A command arrives as an event, a body split from its head included.
    #[test]
    fn commands_arrive() {
        let (path, port, events) = serve();
        let post = |text: &str| {
            let length = text.len();
            let head = format!(
                "POST {path}command HTTP/1.1\r\nhost: localhost:{port}\r\ncontent-length: {length}\r\n\r\n"
            );
            ask(port, &(head + text))
        };
        assert!(post("speed 0.5").starts_with("HTTP/1.1 204"));
        assert!(matches!(
            events.try_recv(),
            Ok(Event::Command(Command::Speed(0.5)))
        ));
        assert!(post("explode").starts_with("HTTP/1.1 400"));
        assert!(events.try_recv().is_err());
    }

    /// Two tokens differ, and each has 128 bits.
    #[test]
    fn tokens_are_long_and_differ() {
        let (one, two) = (token(), token());
        assert_ne!(one, two);
        assert_eq!(one.len(), 32);
        assert!(is_same(&one, &one));
        assert!(!is_same(&one, &two) && !is_same(&one, &one[..31]));
    }
}

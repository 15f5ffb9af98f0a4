//! Recordings read back by a second reader, written from the format's description, and
//! compared with the world they are of.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::time::Duration;

use drystone::World;
use drystone_scene::Scene;
use flate2::read::GzDecoder;
use serde_json::Value;

use super::tape::record;
use super::{Live, Recording, serve};

const SCENE: &str = r#"(
    format: 1,
    bodies: [
        (name: "ground", kind: Static, shape: HalfSpace()),
        (name: "ball", shape: Sphere(radius: 0.5), position: (0, 2, 0), linear_velocity: (1, 0, 0)),
        (name: "box", shape: Box(half_extents: (0.5, 0.5, 0.5)), position: (3, 1, 0), rotation: (0, 0, 0.2, 0.98)),
        (name: "rod", shape: Capsule(half_height: 0.5, radius: 0.25), position: (-3, 2, 0)),
    ],
)"#;

/// What a reader knows after a frame.
#[derive(Clone, Default)]
struct Known {
    positions: Vec<[i64; 3]>,
    contacts: BTreeMap<u32, Vec<u8>>,
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, rest) = self.0.split_at(N);
        self.0 = rest;
        head.try_into().unwrap()
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn count(&mut self) -> u32 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let [byte] = self.take();
            value |= u32::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        value
    }

    fn signed(&mut self) -> i64 {
        let value = i64::from(self.count());
        if value % 2 == 0 {
            value / 2
        } else {
            -(value + 1) / 2
        }
    }
}

/// Applies a frame to what is known; returns its time and its count of contacts.
fn read_frame(payload: &[u8], start: &Known, known: &mut Known) -> (f64, u32) {
    let mut head = Bytes(payload);
    if head.take() == [1] {
        known.clone_from(start);
    }
    let time = f64::from_le_bytes(head.take());
    head.take::<16>();
    let [_awake, touching, _points, _steps] = [0; 4].map(|_: i32| head.word());
    head.take::<4>();
    let lengths = [0; 8].map(|_: i32| head.word() as usize);
    let mut rest = head.0;
    let [mut bodies, mut positions, _, _, mut contacts, ..] = lengths.map(|length| {
        let (column, after) = rest.split_at(length);
        rest = after;
        Bytes(column)
    });
    assert!(rest.is_empty());
    let mut number = 0;
    while !bodies.0.is_empty() {
        number += bodies.count();
        let [mask] = bodies.take();
        if mask & 1 != 0 {
            for axis in &mut known.positions[number as usize] {
                *axis += positions.signed();
            }
        }
        number += 1;
    }
    let mut number = 0;
    while !contacts.0.is_empty() {
        number += contacts.count();
        let [mask] = contacts.take();
        if mask & 16 != 0 {
            assert!(
                known.contacts.remove(&number).is_some(),
                "contact {number} was not there"
            );
        } else {
            known.contacts.entry(number).or_default().push(mask);
        }
        number += 1;
    }
    (time, touching)
}

/// All chunks of a compressed recording: kind and payload.
fn chunks(recording: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut bytes = Vec::new();
    GzDecoder::new(recording).read_to_end(&mut bytes).unwrap();
    let mut rest = Bytes(&bytes);
    let mut chunks = Vec::new();
    while !rest.0.is_empty() {
        let length = rest.word() as usize;
        let [kind] = rest.take();
        let (payload, after) = rest.0.split_at(length);
        chunks.push((kind, payload.to_vec()));
        rest = Bytes(after);
    }
    chunks
}

fn starts(scene: &Value) -> Known {
    let bodies = scene["bodies"].as_array().unwrap();
    let place = |body: &Value| [0, 1, 2].map(|axis| body["p"][axis].as_i64().unwrap());
    Known {
        positions: bodies.iter().map(place).collect(),
        ..Known::default()
    }
}

/// Where a reader believes the bodies to be, against where they are.
fn assert_places(world: &World, scene: &Value, known: &Known) {
    let step = scene["scene"]["step"].as_f64().unwrap();
    let origin = &scene["scene"]["origin"];
    for ((_, body), stored) in world.bodies().zip(&known.positions) {
        for axis in 0..3 {
            let read = origin[axis].as_f64().unwrap() + stored[axis] as f64 * step;
            let error = (read - body.position()[axis]).abs();
            // Half a step of rounding, and one of what counts as no change.
            assert!(error <= 1.51 * step, "{} is off by {error} m", body.name());
        }
    }
}

/// Two seconds of falling, bouncing off and coming to rest, read frame by frame beside a
/// second run of the same scene: every body where it is, every contact that is there.
#[test]
fn a_recording_tells_where_everything_was() {
    let scene = Scene::parse(SCENE, "test.ron").unwrap();
    let recording = Recording {
        every: 1,
        from: 0.0,
        to: 2.0,
        contacts: true,
    };
    let bytes = record(&mut scene.build().unwrap(), "test", &recording, &mut |_| {});
    let chunks = chunks(&bytes);
    assert_eq!(chunks[0].0, b'S');
    let description: Value = serde_json::from_slice(&chunks[0].1).unwrap();
    let start = starts(&description);
    let mut known = start.clone();
    let mut beside = scene.build().unwrap();
    let mut frames = 0;
    let mut most_contacts = 0;
    for (kind, payload) in &chunks[1..] {
        assert_eq!(*kind, b'F');
        let (time, touching) = read_frame(payload, &start, &mut known);
        assert_eq!(time, beside.world.time());
        assert_places(&beside.world, &description, &known);
        assert_eq!(known.contacts.len(), beside.world.contacts().count());
        let count = beside
            .world
            .contacts()
            .filter(|touch| touch.is_touching)
            .count();
        assert_eq!(touching as usize, count);
        most_contacts = most_contacts.max(count);
        frames += 1;
        beside.step();
    }
    assert_eq!(frames, 121);
    assert_eq!(
        most_contacts, 3,
        "all three bodies must have touched the ground"
    );
}

/// `every`, `from` and `to` choose frames by step: known by counting.
#[test]
fn a_recording_keeps_what_was_asked_for() {
    let scene = Scene::parse(SCENE, "test.ron").unwrap();
    let recording = Recording {
        every: 6,
        from: 0.5,
        to: 1.0,
        contacts: false,
    };
    let bytes = record(&mut scene.build().unwrap(), "test", &recording, &mut |_| {});
    let chunks = chunks(&bytes);
    let start = starts(&serde_json::from_slice(&chunks[0].1).unwrap());
    let mut known = start.clone();
    let times: Vec<_> = chunks[1..]
        .iter()
        .map(|(_, payload)| read_frame(payload, &start, &mut known).0)
        .collect();
    assert_eq!(times.len(), 6);
    assert!(
        (times[0] - 0.5).abs() < 0.001 && (times[5] - 1.0).abs() < 0.001,
        "{times:?}"
    );
}

/// The same scene gives the same bytes, so that pages can be compared and kept.
#[test]
fn a_recording_is_the_same_every_time() {
    let scene = Scene::parse(SCENE, "test.ron").unwrap();
    let recording = Recording {
        every: 1,
        from: 0.0,
        to: 0.5,
        contacts: true,
    };
    let run = || super::write(&mut scene.build().unwrap(), "test", &recording, &mut |_| {});
    assert!(run() == run());
}

/// A client that reads the live stream for a while and hangs up: it gets the description and
/// a key frame first, and the show ends by itself.
#[test]
fn a_live_show_ends_when_its_viewer_leaves() {
    use std::io::Write;
    let (sender, addresses) = channel();
    let show = std::thread::spawn(move || {
        let scene = Scene::parse(SCENE, "test.ron").unwrap();
        let live = Live {
            contacts: true,
            open_browser: false,
        };
        serve(&scene, "test", live, &mut |address| {
            sender.send(address.to_owned()).unwrap()
        })
    });
    let address = addresses.recv_timeout(Duration::from_secs(20)).unwrap();
    let (host, path) = address
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path}stream HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    while bytes.len() < 4096 {
        let mut buffer = [0; 1024];
        let got = stream.read(&mut buffer).unwrap();
        assert!(got > 0, "the stream must go on");
        bytes.extend_from_slice(&buffer[..got]);
    }
    let body = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap()
        + 4;
    let mut rest = Bytes(&bytes[body..]);
    let length = rest.word() as usize;
    assert_eq!(rest.take(), *b"S");
    let mut rest = Bytes(&rest.0[length..]);
    rest.word();
    assert_eq!(rest.take(), [b'F', 1], "a key frame comes first");
    drop(stream);
    show.join().unwrap().unwrap();
}

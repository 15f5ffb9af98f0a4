//! The classical exercise: reading cases, answering them, and saying what is wrong.

mod support;

use std::fmt::Write;

use drystone_planar::Feature2;
use drystone_planar::contest::{Case, CaseError, CaseReader, solve};
use drystone_planar::glam::DVec2;
use support::{Random, assert_near, round_polygon, signed_distance};

fn answers(text: &str) -> Result<String, CaseError> {
    let mut output = Vec::new();
    solve(text.as_bytes(), &mut output)?;
    Ok(String::from_utf8(output).expect("digits"))
}

/// The published sample: two unit squares at distance one.
#[test]
fn the_published_sample_gives_one() {
    let sample =
        "4 4\n0.0 0.0\n0.0 1.0\n1.0 1.0\n1.0 0.0\n2.0 0.0\n2.0 1.0\n3.0 1.0\n3.0 0.0\n0 0\n";
    assert_eq!(answers(sample).expect("valid"), "1.00000\n");
}

/// The worked example, an overlap, a flat polygon, and lines broken in odd places. Known
/// by hand.
#[test]
fn cases_of_all_kinds_are_answered_in_order() {
    let text = "3 4\n4 11\n4 5\n9 9\n8 6\n10 2\n13 1\n15 6\r\n\
        4 4 0 0 2 0 2 2 0 2 1 1 3 1 3 3 1 3\n\
        3 3\n0 0\n1 0\n5 0\n\n7 -1\n7 0\n7 1\n0 0\nwhat follows is not read";
    assert_eq!(answers(text).expect("valid"), "1.71791\n0.00000\n2.00000\n");
}

/// Random cases of up to 10,000 points each, in any order and direction. Known by a scan
/// of all edges against all vertices; a scan of 10,000 by 10,000 is done once.
#[test]
fn random_cases_agree_with_a_scan() {
    let mut random = Random::new(51);
    let mut case = Case::default();
    for round in 0..60 {
        let count = match round {
            0 => 10_000,
            1..=5 => 1_000,
            _ => 3 + random.below(100),
        };
        let half = DVec2::new(random.range(1e3, 4e3), random.range(1e3, 4e3));
        let mut a = round_polygon(&mut random, count, half);
        let mut b = round_polygon(&mut random, count, half);
        let offset = random.vector(6e3);
        for point in &mut b {
            *point += offset;
        }
        let exact = signed_distance(&a, &b).max(0.0);
        match round % 3 {
            0 => a.reverse(),
            1 => b.rotate_left(count / 3),
            _ => {
                for index in (1..count).rev() {
                    a.swap(index, random.below(index + 1));
                }
            }
        }
        let mut text = format!("{count} {count}\n");
        for point in a.iter().chain(&b) {
            writeln!(text, "{} {}", point.x, point.y).expect("a string");
        }
        text.push_str("0 0\n");
        let mut reader = CaseReader::new(text.as_bytes());
        assert!(reader.read(&mut case).expect("valid"));
        let found = case.separation().expect("valid").distance().max(0.0);
        assert_near(found, exact, 1e-9 * exact, &format!("round {round}"));
        assert!(!reader.read(&mut case).expect("valid"));
    }
}

/// Broken files. Known by hand: the kind of error and the line it names.
#[test]
fn broken_files_are_answered_with_the_line() {
    let square = "0 0\n1 0\n1 1\n0 1\n";
    let table: Vec<(String, &str)> = vec![
        (String::new(), "line 1: the text ends here"),
        ("4".into(), "line 1: the text ends here: the second number"),
        (
            format!("4 4\n{square}"),
            "line 6: the text ends here: coordinates",
        ),
        (
            format!("4 4\n{square}{square}"),
            "line 10: the text ends here: a last line `0 0`",
        ),
        ("4 4\n0 0\n1 x\n".into(), "line 3: `x` is not a number"),
        ("four 4\n".into(), "line 1: `four` is not a number"),
        ("4 4\n0 0\nnan 1\n".into(), "line 3: the coordinate is NaN"),
        (
            "4 4\n0 0\n1 -inf\n".into(),
            "line 3: the coordinate is -inf",
        ),
        (
            "4 4\n0 0\n1 1e300\n".into(),
            "line 3: the coordinate is 1000",
        ),
        ("-4 4\n".into(), "line 1: -4 cannot be a number of points"),
        ("4.5 4\n".into(), "line 1: 4.5 cannot be a number of points"),
        (
            "4 1e12\n0 0 1 0 1 1 0 1".into(),
            "line 1: 1000000000000 cannot be",
        ),
        ("0 4\n".into(), "line 1: 0 cannot be a number of points"),
        (
            format!("4 0\n{square}"),
            "line 1: 0 cannot be a number of points",
        ),
        ("nan 4\n".into(), "line 1: NaN cannot be a number of points"),
        (
            format!("\n4 4\n{square}0 0\n0 0\n1 1\n1 1\n"),
            "line 2: polygon 2 has 2 distinct points",
        ),
        (
            "2 4\n0 0\n1 1\n".into(),
            "line 1: polygon 1 has 2 distinct points",
        ),
    ];
    for (text, expected) in table {
        let error = answers(&text).expect_err(expected).to_string();
        assert!(error.starts_with(expected), "{error} is not {expected}");
    }
}

/// A stream of many small cases that is made up as it is read. Known by hand: every
/// answer is one, and nothing is kept.
#[test]
fn a_long_stream_needs_no_memory_of_its_length() {
    struct Endless {
        left: usize,
        text: &'static [u8],
        at: usize,
    }
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.at == self.text.len() && self.left > 0 {
                self.left -= 1;
                self.at = 0;
                if self.left == 0 {
                    self.text = b"0 0";
                }
            }
            let count = buffer.len().min(self.text.len() - self.at);
            buffer[..count].copy_from_slice(&self.text[self.at..self.at + count]);
            self.at += count;
            Ok(count)
        }
    }
    struct Ones(u64);
    impl std::io::Write for Ones {
        fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
            self.0 += buffer.iter().filter(|&&byte| byte == b'1').count() as u64;
            Ok(buffer.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let input = Endless {
        left: 200_000,
        text: b"3 3\n0 0\n0 5\n-4 0\n1 0\n4 1\n4 -1\n",
        at: 0,
    };
    let mut output = Ones(0);
    assert_eq!(solve(input, &mut output).expect("valid"), 200_000);
    assert_eq!(output.0, 200_000);
}

/// Random bytes, and valid text with random bytes changed. Known by the promise: an
/// answer or an error with a line, never a panic, and never without an end.
#[test]
fn random_bytes_are_answered_or_refused() {
    let mut random = Random::new(52);
    let valid =
        "4 4\n0.0 0.0\n0.0 1.0\n1.0 1.0\n1.0 0.0\n2.0 0.0\n2.0 1.0\n3.0 1.0\n3.0 0.0\n0 0\n";
    let alphabet = b"0123456789 \n\t.-+eEnaif\xff\x80:/";
    let (mut answered, mut refused) = (0, 0);
    for round in 0..20_000 {
        let mut text: Vec<u8> = valid.bytes().collect();
        if round % 4 == 0 {
            text = (0..random.below(200)).map(|_| b' ').collect();
            for byte in &mut text {
                *byte = alphabet[random.below(alphabet.len())];
            }
        }
        for _ in 0..random.below(4) {
            if !text.is_empty() {
                let at = random.below(text.len());
                text[at] = alphabet[random.below(alphabet.len())];
            }
        }
        match solve(text.as_slice(), std::io::sink()) {
            Ok(_) => answered += 1,
            Err(error) => {
                assert!(error.to_string().starts_with("line "), "{error}");
                refused += 1;
            }
        }
    }
    assert!(answered > 1_000 && refused > 1_000, "{answered} {refused}");
}

/// Cases of few points, which are left unordered, and of more, in every order. Known by
/// the points: the features of the answer, numbered as the points were read, hold its
/// witnesses, and both ways give the distance of a scan.
#[test]
fn answers_name_the_points_as_they_were_read() {
    let mut random = Random::new(53);
    for round in 0..400 {
        let count = [3, 4, 8, 31, 32, 33, 60][round % 7];
        let half = DVec2::new(random.range(1.0, 4.0), random.range(1.0, 4.0));
        let mut a = round_polygon(&mut random, count, half);
        let mut b = round_polygon(&mut random, count, half);
        let offset = random.vector(12.0);
        for point in &mut b {
            *point += offset;
        }
        let exact = signed_distance(&a, &b);
        for ring in [&mut a, &mut b] {
            for index in (1..count).rev() {
                ring.swap(index, random.below(index + 1));
            }
        }
        let case = Case { line: 1, a, b };
        let answer = case.separation().expect("polygons");
        assert_near(answer.distance(), exact, 1e-11, &format!("round {round}"));
        for (points, feature, witness) in [
            (&case.a, answer.feature_a, answer.point_a),
            (&case.b, answer.feature_b, answer.point_b),
        ] {
            let (p, q) = match feature {
                Feature2::Vertex(i) => (points[i as usize], points[i as usize]),
                Feature2::Edge(i, j) => (points[i as usize], points[j as usize]),
                Feature2::Curve => panic!("a polygon has no curve"),
            };
            let off = (witness - p).length() + (witness - q).length() - (q - p).length();
            assert_near(off, 0.0, 1e-9, &format!("round {round}: witness"));
        }
    }
    let flat = Case {
        line: 7,
        a: vec![DVec2::ZERO, DVec2::X, DVec2::ZERO],
        b: vec![DVec2::ZERO, DVec2::X, DVec2::Y],
    };
    let error = flat.separation().expect_err("two points");
    assert_eq!(error.line(), Some(7));
    let far = Case {
        b: vec![DVec2::ZERO, DVec2::X, DVec2::NAN],
        a: flat.b.clone(),
        ..flat
    };
    assert!(matches!(far.separation(), Err(CaseError::NotFinite { .. })));
}

//! The reader of `examples/data/planets.csv`: the file itself reads as published, and every way in which a file can be
//! malformed is an error that names the file, the line and what was expected.

#[path = "../examples/support/mod.rs"]
mod support;

use std::error::Error as _;
use std::path::Path;

use support::csv::{Body, Epoch, Error, Problem, parse, read};

const HEADER: &str = "day,body,x,y,z,vx,vy,vz\n";

fn epoch(day: &str) -> String {
    Body::ALL.map(|body| format!("{day},{body},1,2,3,4,5,6\n")).concat()
}

fn parse_str(text: &str) -> Result<Vec<Epoch>, Error> {
    parse(text.as_bytes(), Path::new("some.csv"))
}

/// The line and the problem of a text that must not parse.
#[track_caller]
fn refused(text: &str) -> (usize, Problem) {
    match parse_str(text) {
        Err(Error::Line { file, line, problem }) => {
            assert_eq!(file, Path::new("some.csv"));
            (line, problem)
        }
        other => panic!("expected a refused line, got {other:?}"),
    }
}

#[test]
fn reads_the_ephemeris() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/planets.csv");
    let epochs = read(&file).unwrap();
    assert_eq!(epochs.len(), 440);
    assert!(epochs.iter().enumerate().all(|(i, epoch)| epoch.day == 10.0 * i as f64));
    assert_eq!(epochs[0].position[Body::Jupiter as usize], [3.99404071213, 2.73393184004, 1.07458895112]);
    assert_eq!(epochs[0].velocity[Body::Sun as usize], [5.37845881647e-06, -6.75818617069e-06, -3.03284930868e-06]);
    assert_eq!(epochs[439].position[Body::Pluto as usize], [3.97246291485, -30.1042102291, -10.5914915967]);
}

#[test]
fn accepts_comments_blank_lines_crlf_and_any_order_of_bodies() {
    let mut rows: Vec<String> = epoch("0.5").lines().map(|row| format!(" {row} \r\n")).collect();
    rows.reverse();
    let text = format!("# a comment\r\n\r\n{HEADER}{}# the end\r\n", rows.concat());
    let epochs = parse_str(&text).unwrap();
    assert_eq!(epochs, [Epoch { day: 0.5, position: [[1., 2., 3.]; 10], velocity: [[4., 5., 6.]; 10] }]);
}

#[test]
fn refuses_what_is_not_a_table() {
    assert_eq!(refused(""), (1, Problem::Empty));
    assert_eq!(refused("# only a comment\n"), (1, Problem::Empty));
    assert_eq!(refused(&format!("# note\n{HEADER}")), (3, Problem::NoRows));
    assert_eq!(refused(&format!("# note\n{}", epoch("0"))), (2, Problem::Header { found: "0,sun,1,2,3,4,5,6".into() }));
    assert_eq!(refused("day,body,x,y,z\n"), (1, Problem::Header { found: "day,body,x,y,z".into() }));
    let mut bytes = format!("{HEADER}{}", epoch("0")).into_bytes();
    bytes.extend(b"10,sun,\xff,0,0,0,0,0\n");
    let error = parse(&bytes, Path::new("some.csv")).unwrap_err();
    assert!(matches!(error, Error::Line { line: 12, problem: Problem::NotText, .. }), "{error:?}");
}

#[test]
fn refuses_malformed_rows() {
    let first = epoch("0");
    let row = |text: &str| refused(&format!("# note\n{HEADER}{first}{text}\n"));
    assert_eq!(row("10,sun,1,2,3,4,5"), (13, Problem::Fields { found: 7 }));
    assert_eq!(row("10,sun,1,2,3,4,5,6,7"), (13, Problem::Fields { found: 9 }));
    assert_eq!(row("garbage"), (13, Problem::Fields { found: 1 }));
    assert_eq!(row("10,sun,1,two,3,4,5,6"), (13, Problem::NotANumber { column: "y", found: "two".into() }));
    assert_eq!(row("10,sun,1,2,3,4,5,"), (13, Problem::NotANumber { column: "vz", found: String::new() }));
    assert_eq!(row("ten,sun,1,2,3,4,5,6"), (13, Problem::NotANumber { column: "day", found: "ten".into() }));
    assert_eq!(row("10,sun,nan,2,3,4,5,6"), (13, Problem::NotFinite { column: "x", found: "nan".into() }));
    assert_eq!(row("10,sun,1,2,1e999,4,5,6"), (13, Problem::NotFinite { column: "z", found: "1e999".into() }));
    assert_eq!(row("10,vulcan,1,2,3,4,5,6"), (13, Problem::UnknownBody { found: "vulcan".into() }));
}

#[test]
fn refuses_epochs_that_are_not_whole_or_not_in_order() {
    let (zero, ten) = (epoch("0"), epoch("10"));
    let without_venus = zero.replace("0,venus,1,2,3,4,5,6\n", "");
    let missing = Problem::Missing { day: 0.0, body: Body::Venus };
    assert_eq!(refused(&format!("{HEADER}{without_venus}{ten}")), (11, missing.clone()));
    assert_eq!(refused(&format!("{HEADER}{without_venus}")), (11, missing));
    assert_eq!(refused(&format!("{HEADER}{ten}{zero}")), (12, Problem::Order { previous: 10.0, found: 0.0 }));
    assert_eq!(refused(&format!("{HEADER}{zero}{zero}")), (12, Problem::Repeated { day: 0.0, body: Body::Sun }));
}

#[test]
fn messages_name_file_line_and_what_was_expected() {
    let text = format!("{HEADER}0,sun,1,2,3,4,5,six\n");
    assert_eq!(parse_str(&text).unwrap_err().to_string(), "some.csv:2: column `vz`: expected a number, found `six`");
    let error = read(Path::new("no/such.csv")).unwrap_err();
    assert!(error.to_string().starts_with("no/such.csv: cannot be read: "), "{error}");
    assert!(error.source().is_some());
}

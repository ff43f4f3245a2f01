//! The figure that the examples draw: well-formed whatever the data, with round ticks.

#[path = "../examples/support/mod.rs"]
mod support;

use support::svg::{Axis, Figure, Mark, Panel, Series};

fn drawn(x: Axis, y: Axis, points: &[(f64, f64)]) -> String {
    let series = vec![Series::new("a < b & c", Mark::LineAndDots, 0, points.to_vec())];
    Figure { title: "T".into(), panels: vec![Panel { x, y, series, ..Panel::default() }] }.to_string()
}

#[test]
fn draws_any_data_without_numbers_that_svg_lacks() {
    let nothing: &[(f64, f64)] = &[];
    let hard = [
        nothing,
        &[(0.0, 0.0)],
        &[(5.0, 5.0), (5.0, 5.0)],
        &[(f64::NAN, 1.0), (1.0, f64::INFINITY), (-1.0, -1.0)],
        &[(1e300, 1e-300), (-1e300, 1e-310)],
        &[(1.0, 1.0 + 1e-15), (1.0 + 1e-15, 1.0)],
    ];
    for points in hard {
        for (x, y) in [(Axis::linear("x"), Axis::linear("y")), (Axis::log("x"), Axis::log("y"))] {
            let text = drawn(x, y, points);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{points:?}:\n{text}");
            assert!(text.contains("a &lt; b &amp; c") && text.ends_with("</svg>\n"));
        }
    }
}

#[test]
fn breaks_a_line_where_a_point_cannot_be_shown() {
    let text = drawn(Axis::linear("x"), Axis::log("y"), &[(0.0, 1.0), (1.0, 10.0), (2.0, 0.0), (3.0, 1.0), (4.0, 2.0)]);
    let path = text.lines().find(|line| line.contains("stroke-linejoin")).unwrap();
    assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 2), "{path}");
    assert_eq!(text.matches("<circle").count(), 4 + 1, "four points and the legend's");
}

#[test]
fn ticks_are_round() {
    let text = drawn(Axis::linear("x"), Axis::log("y"), &[(-30.1, 1e-9), (30.2, 1e3)]);
    for label in [">−20<", ">−10<", ">20<", ">10⁻⁸<", ">1<", ">10²<"] {
        assert!(text.contains(label), "{label} is not in\n{text}");
    }
}

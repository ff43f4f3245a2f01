//! Random recordings over views of one array that overlap as they like: kernels, fills, copies and
//! writes, differentiated by the tape and by a few lines that know nothing of versions.
use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Tape};

const SIZE: usize = 14;

#[kernel]
fn square(x: &mut Array<f64>) {
    let i = thread_id();
    x[i] = 0.5 * x[i] * x[i];
}

#[kernel]
fn product(x: &Array<f64>, y: &Array<f64>, out: &mut Array<f64>) {
    let i = thread_id();
    out[i] += x[i] * y[i];
}

#[kernel]
fn mix(x: &mut Array<f64>, kept: &Array<f64>) {
    // Each thread reads what the one before it wrote, so old contents are recorded.
    let i = thread_id();
    if i > 0 {
        x[i] = sin(x[i]) * x[i - 1] + kept[0];
    }
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
    /// Places of a view: a range with a step.
    fn places(&mut self, len: usize) -> Vec<usize> {
        let step = 1 + self.below(3).min((SIZE - 1) / len.max(2) - 1);
        let start = self.below(SIZE - (len - 1) * step);
        (0..len).map(|i| start + i * step).collect()
    }
}

/// What was done, by places in the array.
enum Done {
    Square(Vec<usize>),
    Product(Vec<usize>, Vec<usize>, Vec<usize>),
    Mix(Vec<usize>, usize),
    Set(Vec<usize>, f64),
    Copy(Vec<usize>, Vec<usize>),
}

fn view(array: &Array<f64>, places: &[usize]) -> Result<Array<f64>, Error> {
    let step = if places.len() > 1 { places[1] - places[0] } else { 1 };
    array.slice_step(0, places[0]..places[places.len() - 1] + 1, step)
}

fn forward(done: &Done, x: &mut [f64]) {
    match done {
        Done::Square(a) => a.iter().for_each(|&i| x[i] = 0.5 * x[i] * x[i]),
        Done::Product(a, b, out) => (0..a.len()).for_each(|k| x[out[k]] += x[a[k]] * x[b[k]]),
        Done::Mix(a, kept) => (1..a.len()).for_each(|k| x[a[k]] = x[a[k]].sin() * x[a[k - 1]] + x[*kept]),
        Done::Set(a, v) => a.iter().for_each(|&i| x[i] = *v),
        Done::Copy(a, b) => (0..a.len()).for_each(|k| x[b[k]] = x[a[k]]),
    }
}

/// From cotangents after to cotangents before; `x` is what the array held before.
fn backward(done: &Done, x: &[f64], g: &mut [f64]) {
    match done {
        Done::Square(a) => a.iter().for_each(|&i| g[i] *= x[i]),
        Done::Product(a, b, out) => {
            for k in 0..a.len() {
                g[a[k]] += g[out[k]] * x[b[k]];
                g[b[k]] += g[out[k]] * x[a[k]];
            }
        }
        Done::Mix(a, kept) => {
            let mut after = x.to_vec();
            forward(done, &mut after);
            for k in (1..a.len()).rev() {
                let from = std::mem::take(&mut g[a[k]]);
                g[a[k]] = from * x[a[k]].cos() * after[a[k - 1]];
                g[a[k - 1]] += from * x[a[k]].sin();
                g[*kept] += from;
            }
        }
        Done::Set(a, _) => a.iter().for_each(|&i| g[i] = 0.0),
        Done::Copy(a, b) => {
            for k in 0..a.len() {
                let from = std::mem::take(&mut g[b[k]]);
                g[a[k]] += from;
            }
        }
    }
}

fn record(random: &mut Random, tape: &mut Tape, array: &Array<f64>) -> Result<Done, Error> {
    let len = 1 + random.below(5);
    let (a, b, c) = (random.places(len), random.places(len), random.places(len));
    let value = 0.1 * random.below(10) as f64;
    let (mut first, mut second, mut third) = (view(array, &a)?, view(array, &b)?, view(array, &c)?);
    Ok(match random.below(7) {
        0 => {
            tape.launch(&square(len, &mut first))?;
            Done::Square(a)
        }
        1 | 2 => {
            tape.launch(&product(len, &first, &second, &mut third))?;
            Done::Product(a, b, c)
        }
        3 => {
            tape.launch(&mix(len, &mut first, &second.slice(0, 0..1)?))?;
            Done::Mix(a, b[0])
        }
        4 => {
            tape.fill(&mut first, value)?;
            Done::Set(a, value)
        }
        5 => {
            tape.write(&mut first, &vec![value; len])?;
            Done::Set(a, value)
        }
        _ => {
            tape.copy(&first, &mut second)?;
            Done::Copy(a, b)
        }
    })
}

#[test]
fn views_of_one_array() -> Result<(), Error> {
    let device = Device::cpu();
    let mut tape = Tape::new(&device);
    let mut recorded = 0;
    for seed in 0..300 {
        let mut random = Random(seed);
        let start: Vec<f64> = (0..SIZE).map(|_| 0.2 + 0.1 * random.below(9) as f64).collect();
        let array = Array::from_slice(&device, &start);
        tape.reset();
        let mut history = Vec::new();
        while history.len() < 25 {
            match record(&mut random, &mut tape, &array) {
                Ok(done) => history.push(done),
                // Refused before it ran; as if it had not been tried.
                Err(Error::Aliasing { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        recorded += history.len();
        let mut states = vec![start];
        for done in &history {
            let mut next = states[states.len() - 1].clone();
            forward(done, &mut next);
            states.push(next);
        }
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs().max(1.0));
        let end = array.to_vec()?;
        assert!(close(&end, &states[history.len()]), "seed {seed}: {end:?} {:?}", states[history.len()]);
        let weights: Vec<f64> = (0..SIZE).map(|i| 1.0 + 0.3 * i as f64).collect();
        let mut expected = weights.clone();
        for (done, before) in history.iter().zip(&states).rev() {
            backward(done, before, &mut expected);
        }
        for _ in 0..2 {
            tape.backward_with(&[(&array, &Array::from_slice(&device, &weights))])?;
            let found = tape.grad(&array)?.to_vec()?;
            let scale = expected.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            let error = found.iter().zip(&expected).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(error <= 1e-10 * scale, "seed {seed}: {found:?} {expected:?}");
        }
    }
    assert_eq!(recorded, 300 * 25);
    Ok(())
}

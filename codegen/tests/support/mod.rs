//! Runs a kernel compiled, in several variants, and compares it bit for bit with the interpreter.
#![allow(clippy::unwrap_used, dead_code)]

use pullback_codegen::abi::{Context, Fault};
use pullback_codegen::{Compiled, Cpu, Optimize, Options, SiteKind, compile, requirements};
use pullback_ir::interp::{self, Arg, ArrayData, InterpError, Records};
use pullback_ir::{Constant, Element, Kernel, Loc, OpKind, Order, Scalar, verify};

/// Random words (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    /// Uniform in `low..high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// An array of constants, which fill the components element by element.
pub fn array(element: Element, shape: &[usize], values: &[Constant]) -> Arg {
    let count = element.components().len();
    let mut data = ArrayData::zeros(element, shape);
    for (i, &v) in values.iter().enumerate().take(data.len() * count) {
        data.set_at(i / count, (i % count) as u32, v);
    }
    Arg::Array(data)
}

/// An array of random contents: small numbers, of any sign where the type has one.
pub fn random_array(random: &mut Random, element: Element, shape: &[usize]) -> Arg {
    let mut data = ArrayData::zeros(element.clone(), shape);
    for i in 0..data.len() {
        for (c, component) in element.components().iter().enumerate() {
            let v = match component.scalar {
                Scalar::Bool => Constant::Bool(random.word() & 1 == 1),
                scalar if scalar.is_float() => Constant::from_f64(scalar, random.between(-4.0, 4.0)),
                scalar => Constant::from_i64(scalar, random.between(-20.0, 20.0) as i64),
            };
            data.set_at(i, c as u32, v);
        }
    }
    Arg::Array(data)
}

/// How an array lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row-major, one element after the other.
    Dense,
    /// The first index runs fastest, backwards along the last one, a gap after each element.
    Spread,
}

/// A way to compile and run a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    pub layout: Layout,
    pub prechecked: bool,
    pub optimize: Optimize,
    /// Threads per call of the entry.
    pub chunk: u64,
}

pub const FULL: Variant = Variant { layout: Layout::Dense, prechecked: true, optimize: Optimize::Full, chunk: 1 << 15 };
pub const CHECKED: Variant = Variant { layout: Layout::Spread, prechecked: false, ..FULL };
pub const PLAIN: Variant = Variant { optimize: Optimize::None, prechecked: false, chunk: 7, ..FULL };
pub const CHUNKS: Variant = Variant { layout: Layout::Spread, chunk: 5, ..FULL };
pub const ALL: [Variant; 4] = [FULL, CHECKED, PLAIN, CHUNKS];

struct Memory {
    words: Vec<u64>,
    /// Byte offset of element (0, …, 0), and strides in bytes.
    base: i64,
    strides: Vec<i64>,
}

/// What lies between elements; nothing may change it.
const FILL: u64 = 0x5aa5_1234_8765_a55a;

impl Memory {
    fn new(data: &ArrayData, layout: Layout) -> Self {
        let (shape, size) = (data.shape(), i64::from(data.element().size()));
        let mut strides = vec![0; shape.len()];
        let mut base = 64;
        match layout {
            Layout::Dense => {
                let mut stride = size;
                for axis in (0..shape.len()).rev() {
                    strides[axis] = stride;
                    stride *= shape[axis] as i64;
                }
            }
            Layout::Spread => {
                // A gap that keeps all components aligned.
                let mut stride = size + 8;
                for axis in 0..shape.len() {
                    strides[axis] = stride;
                    stride *= shape[axis].max(1) as i64;
                }
                let last = shape.len() - 1;
                base += strides[last] * (shape[last] as i64 - 1).max(0);
                strides[last] = -strides[last];
            }
        }
        let bytes = 64 + (data.len() as i64 + 1) * (size + 8) + 64;
        let mut memory = Memory { words: vec![FILL; bytes as usize / 8 + 1], base, strides };
        for i in 0..data.len() {
            for (c, component) in data.element().components().iter().enumerate() {
                let at = memory.place(shape, i, component.offset);
                let bytes = data.get_at(i, c as u32).bits().to_le_bytes();
                for (k, b) in bytes.iter().enumerate().take(component.scalar.size() as usize) {
                    memory.set_byte(at + k, *b);
                }
            }
        }
        memory
    }
    fn place(&self, shape: &[usize], element: usize, offset: u32) -> usize {
        let (mut rest, mut at) = (element, self.base + i64::from(offset));
        for axis in (0..shape.len()).rev() {
            at += (rest % shape[axis]) as i64 * self.strides[axis];
            rest /= shape[axis];
        }
        at as usize
    }
    fn byte(&self, at: usize) -> u8 {
        self.words[at / 8].to_le_bytes()[at % 8]
    }
    fn set_byte(&mut self, at: usize, byte: u8) {
        let mut bytes = self.words[at / 8].to_le_bytes();
        bytes[at % 8] = byte;
        self.words[at / 8] = u64::from_le_bytes(bytes);
    }
    /// Reads the elements back; every byte that belongs to none must be as it was.
    fn read(&mut self, data: &mut ArrayData, what: &str) {
        let shape = data.shape().to_vec();
        let components = data.element().components().to_vec();
        for i in 0..data.len() {
            for (c, component) in components.iter().enumerate() {
                let at = self.place(&shape, i, component.offset);
                let mut word = [0; 8];
                for (k, byte) in word.iter_mut().enumerate().take(component.scalar.size() as usize) {
                    *byte = self.byte(at + k);
                    self.set_byte(at + k, FILL.to_le_bytes()[(at + k) % 8]);
                }
                if component.scalar == Scalar::Bool {
                    assert!(word[0] < 2, "{what}: a bool is stored as {}", word[0]);
                }
                data.set_at(i, c as u32, Constant::from_bits(component.scalar, u64::from_le_bytes(word)));
            }
        }
        assert!(self.words.iter().all(|&w| w == FILL), "{what}: memory outside the elements was written");
    }
}

/// The context, then what it points to; callbacks find the rest by the context's address.
#[repr(C)]
struct Worker {
    context: Context,
    stack: Vec<u64>,
    records: Vec<u64>,
}

/// Grows by no more than is asked for, so that growth happens often.
unsafe extern "C" fn grow_stack(context: *mut Context, slots: u64) {
    // SAFETY: the context is a worker's first field, and the pointer was made from the whole worker.
    let worker = unsafe { &mut *context.cast::<Worker>() };
    worker.stack.resize(slots as usize, FILL);
    worker.context.stack = worker.stack.as_mut_ptr();
    worker.context.stack_capacity = slots;
}

unsafe extern "C" fn grow_records(context: *mut Context, slots: u64) {
    // SAFETY: as in `grow_stack`.
    let worker = unsafe { &mut *context.cast::<Worker>() };
    worker.records.resize(slots as usize, FILL);
    worker.context.records = worker.records.as_mut_ptr();
    worker.context.records_capacity = slots;
}

/// A fault as both sides name it.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub thread: u64,
    /// Array and dimension, and the index; `None` for a division by zero.
    pub access: Option<(String, usize, i64)>,
    pub loc: Option<Loc>,
}

fn name_fault(kernel: &Kernel, compiled: &Compiled, fault: Fault, start: u64) -> Named {
    let site = compiled.site(fault.site).unwrap();
    let access = match site.kind {
        SiteKind::DivisionByZero | SiteKind::Assertion(_) => None,
        SiteKind::Component { .. } => Some(("component".to_owned(), 0, fault.index)),
        SiteKind::OutOfRange { array, axis } => {
            Some((kernel.params[array as usize].name.clone(), axis as usize, fault.index))
        }
    };
    Named { thread: start + fault.thread, access, loc: site.loc }
}

/// Runs the interpreter; its fault, if any.
pub fn interpret(kernel: &Kernel, sizes: &[usize], args: &mut [Arg], records: &mut Records) -> Option<Named> {
    let fault = interp::run(&verify(kernel).unwrap(), sizes, args, records, &interp::Limits::default()).err()?;
    Some(match fault.what {
        InterpError::OutOfRange { array, axis, index, thread, .. } => {
            Named { thread: thread as u64, access: Some((array, axis, index)), loc: fault.loc }
        }
        InterpError::Component { index, thread, .. } => {
            Named { thread: thread as u64, access: Some(("component".to_owned(), 0, index)), loc: fault.loc }
        }
        InterpError::DivisionByZero { thread, .. } | InterpError::Assertion { thread, .. } => {
            Named { thread: thread as u64, access: None, loc: fault.loc }
        }
        other => panic!("{other}"),
    })
}

/// What one slot holds of a constant.
fn slot_mask(scalar: Scalar) -> u64 {
    match scalar.size() {
        8 => u64::MAX,
        size => (1 << (8 * size)) - 1,
    }
}

/// Runs machine code; the first fault, by thread. Records are read, or appended and then compared with
/// what is there.
pub fn execute(
    kernel: &Kernel,
    sizes: &[usize],
    args: &mut [Arg],
    records: &Records,
    variant: Variant,
) -> Option<Named> {
    let mut contiguous = 0;
    for (i, arg) in args.iter().enumerate() {
        if matches!(arg, Arg::Array(_)) && variant.layout == Layout::Dense {
            contiguous |= 1 << i;
        }
    }
    let prechecked = variant.prechecked
        && requirements(kernel).iter().all(|r| match &args[r.array as usize] {
            Arg::Array(data) => data.shape()[r.dim as usize] >= sizes[r.axis as usize],
            Arg::Scalar(_) => false,
        });
    let options = Options { contiguous, prechecked, optimize: variant.optimize };
    let compiled = compile(&verify(kernel).unwrap(), Cpu::host(), &options).unwrap();

    let mut memories: Vec<Option<Memory>> = args
        .iter()
        .map(|arg| match arg {
            Arg::Array(data) => Some(Memory::new(data, variant.layout)),
            Arg::Scalar(_) => None,
        })
        .collect();
    let mut words = Vec::new();
    for (arg, memory) in args.iter().zip(&mut memories) {
        match (arg, memory) {
            (Arg::Array(data), Some(memory)) => {
                words.push(memory.words.as_mut_ptr().wrapping_byte_offset(memory.base as isize) as u64);
                words.extend(data.shape().iter().map(|&n| n as u64));
                words.extend(memory.strides.iter().map(|&s| s as u64));
            }
            // The rest of the word says nothing.
            (Arg::Scalar(c), _) => words.push(c.bits() | FILL & !slot_mask(c.scalar()) & !0xff),
            _ => {}
        }
    }
    words.extend(sizes.iter().map(|&n| n as u64));

    let appends = kernel_has(kernel, &OpKind::Record);
    let threads: u64 = sizes.iter().product::<usize>() as u64;
    let mut starts: Vec<u64> = (0..threads).step_by(variant.chunk as usize).collect();
    if kernel.order == Order::Descending {
        starts.reverse();
    }
    let mut first: Option<Named> = None;
    for start in starts {
        let end = (start + variant.chunk).min(threads);
        let mut bases: Vec<i64> = match appends {
            true => vec![-1; (end - start) as usize],
            false => records.bases.get(start as usize..end as usize).unwrap_or(&[]).to_vec(),
        };
        let kept: Vec<u64> = match appends {
            true => Vec::new(),
            false => records.values.iter().map(|c| c.bits() | FILL & !slot_mask(c.scalar())).collect(),
        };
        let null = std::ptr::null_mut();
        let mut worker = Worker {
            context: Context {
                stack: null,
                stack_capacity: 0,
                grow_stack,
                records: null,
                records_len: kept.len() as u64,
                records_capacity: kept.len() as u64,
                grow_records,
                bases: bases.as_mut_ptr(),
                print,
            },
            stack: Vec::new(),
            records: kept,
        };
        worker.context.records = worker.records.as_mut_ptr();
        let code = {
            let pointer = std::ptr::from_mut(&mut worker).cast::<Context>();
            // SAFETY: the words are laid out as the ABI says, each address has the elements that the
            // lengths and strides say, and one at least; the context is the first field of a worker.
            unsafe { (compiled.entry())(pointer, words.as_ptr(), start, end) }
        };
        if let Some(fault) = Fault::unpack(code) {
            let named = name_fault(kernel, &compiled, fault, start);
            assert!((start..end).contains(&named.thread));
            if first.as_ref().is_none_or(|f| named.thread < f.thread) {
                first = Some(named);
            }
        }
        if appends {
            // Threads in ascending order: the chunk's records are one stretch of all.
            let offset = records.bases[start as usize];
            let found: Vec<i64> = bases.iter().map(|b| b + offset).collect();
            assert_eq!(found, &records.bases[start as usize..end as usize], "{variant:?}: bases");
            let last = records.bases.get(end as usize).copied().unwrap_or(records.values.len() as i64);
            let expected = &records.values[offset as usize..last as usize];
            assert_eq!(worker.context.records_len, expected.len() as u64, "{variant:?}: number of records");
            for (slot, c) in worker.records.iter().zip(expected) {
                let found = Constant::from_bits(c.scalar(), slot & slot_mask(c.scalar()));
                assert!(same(found, *c), "{variant:?}: kept {found:?}, not {c:?}");
            }
        }
    }
    for (arg, memory) in args.iter_mut().zip(&mut memories) {
        if let (Arg::Array(data), Some(memory)) = (arg, memory) {
            memory.read(data, &format!("{} {variant:?}", kernel.name));
        }
    }
    first
}

fn kernel_has(kernel: &Kernel, kind: &OpKind) -> bool {
    let mut found = false;
    kernel.walk(kernel.body, &mut |_, data| found |= data.kind == *kind);
    found
}

/// Equal bits, or both NaN.
pub fn same(a: Constant, b: Constant) -> bool {
    let nan = |c: Constant| c.as_f64().is_some_and(f64::is_nan);
    a == b || nan(a) && nan(b)
}

/// Compares a kernel's runs with the interpreter's; what the interpreter gave.
#[track_caller]
pub fn check(kernel: &Kernel, sizes: &[usize], args: &[Arg], variants: &[Variant]) -> (Vec<Arg>, Option<Named>) {
    let (args, fault, _) = check_with(kernel, sizes, args, Records::default(), variants);
    (args, fault)
}

/// The same with records: those to read, or what was appended.
#[track_caller]
pub fn check_with(
    kernel: &Kernel,
    sizes: &[usize],
    args: &[Arg],
    mut records: Records,
    variants: &[Variant],
) -> (Vec<Arg>, Option<Named>, Records) {
    let mut expected = args.to_vec();
    let fault = interpret(kernel, sizes, &mut expected, &mut records);
    for &variant in variants {
        let mut found = args.to_vec();
        let found_fault = execute(kernel, sizes, &mut found, &records, variant);
        assert_eq!(found_fault, fault, "{} {variant:?}", kernel.name);
        for (k, (f, e)) in found.iter().zip(&expected).enumerate() {
            let (Arg::Array(f), Arg::Array(e)) = (f, e) else { continue };
            for i in 0..e.len() {
                for c in 0..e.element().components().len() as u32 {
                    let (f, e) = (f.get_at(i, c), e.get_at(i, c));
                    if !same(f, e) {
                        let inputs: Vec<String> = args.iter().map(|a| show(a, i)).collect();
                        let (name, param) = (&kernel.name, &kernel.params[k].name);
                        panic!("{name} {variant:?}: {param}[{i}].{c} is {f:?}, not {e:?}; arguments there: {inputs:?}");
                    }
                }
            }
        }
    }
    (expected, fault, records)
}

fn show(arg: &Arg, i: usize) -> String {
    match arg {
        Arg::Scalar(c) => format!("{c:?}"),
        Arg::Array(a) if i < a.len() => {
            let count = a.element().components().len() as u32;
            format!("{:?}", (0..count).map(|c| a.get_at(i, c)).collect::<Vec<_>>())
        }
        Arg::Array(_) => String::new(),
    }
}

/// Nothing that is compiled here prints.
unsafe extern "C" fn print(_: *mut Context, _: u64, _: u64, _: *const u64) {}

//! Arrays of the interpreter: bytes, a shape and the element's layout, row-major.

use crate::types::{Constant, Element, Scalar};

/// The contents of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayData {
    element: Element,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl ArrayData {
    /// An array of zeros.
    pub fn zeros(element: Element, shape: &[usize]) -> Self {
        let len: usize = shape.iter().product();
        // One element more than there are, so that an index out of range has something to read.
        let bytes = vec![0; (len + 1) * element.size() as usize];
        ArrayData { element, shape: shape.to_vec(), bytes }
    }
    /// An array whose components, element by element, are these numbers, converted.
    pub fn from_f64s(element: Element, shape: &[usize], values: &[f64]) -> Self {
        let mut array = Self::zeros(element, shape);
        let scalars: Vec<Scalar> = array.element.components().iter().map(|c| c.scalar).collect();
        for (i, &v) in values.iter().enumerate().take(array.len() * scalars.len()) {
            let (at, c) = (i / scalars.len(), i % scalars.len());
            array.set_at(at, c as u32, Constant::from_f64(scalars[c], v));
        }
        array
    }
    /// All components, element by element, as numbers.
    pub fn to_f64s(&self) -> Vec<f64> {
        let count = self.element.components().len();
        (0..self.len() * count)
            .map(|i| match self.get_at(i / count, (i % count) as u32).convert(Scalar::F64) {
                Constant::F64(v) => v,
                _ => 0.0,
            })
            .collect()
    }
    /// The element's layout.
    pub fn element(&self) -> &Element {
        &self.element
    }
    /// The length along each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The bytes of all elements.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len() * self.element.size() as usize]
    }
    /// The first dimension along which an index is outside.
    pub(super) fn outside(&self, indices: &[i64]) -> Option<usize> {
        indices.iter().zip(&self.shape).position(|(&i, &n)| i < 0 || i as u64 >= n as u64)
    }
    fn linear(&self, indices: &[i64]) -> usize {
        indices.iter().zip(&self.shape).fold(0, |at, (&i, &n)| at * n + i as usize)
    }
    pub(super) fn get(&self, indices: &[i64], component: u32) -> Constant {
        self.get_at(self.linear(indices), component)
    }
    pub(super) fn set(&mut self, indices: &[i64], component: u32, value: Constant) {
        self.set_at(self.linear(indices), component, value);
    }
    fn place(&self, at: usize, component: u32) -> (Scalar, usize) {
        let c = self.element.components()[component as usize];
        (c.scalar, at * self.element.size() as usize + c.offset as usize)
    }
    /// A component of element number `at`, row-major.
    pub fn get_at(&self, at: usize, component: u32) -> Constant {
        let (scalar, place) = self.place(at, component);
        let mut word = [0; 8];
        let size = scalar.size() as usize;
        word[..size].copy_from_slice(&self.bytes[place..place + size]);
        Constant::from_bits(scalar, u64::from_le_bytes(word))
    }
    /// Sets a component of element number `at`.
    pub fn set_at(&mut self, at: usize, component: u32, value: Constant) {
        let (scalar, place) = self.place(at, component);
        let size = scalar.size() as usize;
        self.bytes[place..place + size].copy_from_slice(&value.bits().to_le_bytes()[..size]);
    }
}

//! Handles to what a kernel holds, and the dense arenas and side tables that they index.
//!
//! A handle is a small number that means something only together with the kernel that made it.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A handle into an [`EntityVec`] or a [`SecondaryMap`].
pub trait Handle: Copy + Eq {
    /// The handle with this index.
    fn from_index(index: usize) -> Self;
    /// The index of this handle.
    fn index(self) -> usize;
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl Handle for $name {
            fn from_index(index: usize) -> Self { $name(index as u32) }
            fn index(self) -> usize { self.0 as usize }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!($prefix, "{}"), self.0) }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!($prefix, "{}"), self.0) }
        }
    )*};
}

handles! {
    /// An SSA value: a scalar made by one op or one region argument.
    Value "v";
    /// An op: one instruction of a region.
    Op "op";
    /// A region: a list of ops with arguments.
    RegionId "r";
}

/// A dense arena: owns what its handles name.
#[derive(Clone, PartialEq)]
pub struct EntityVec<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Handle, V> EntityVec<K, V> {
    /// An empty arena.
    pub fn new() -> Self {
        EntityVec { items: Vec::new(), key: PhantomData }
    }
    /// Adds an item and returns its handle.
    pub fn push(&mut self, item: V) -> K {
        self.items.push(item);
        K::from_index(self.items.len() - 1)
    }
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The item, or `None` for a handle that is not of this arena.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }
    /// All handles in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + use<K, V> {
        (0..self.items.len()).map(K::from_index)
    }
    /// All items in order, with their handles.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(i, v)| (K::from_index(i), v))
    }
}

impl<K: Handle, V> Default for EntityVec<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Handle, V: fmt::Debug> fmt::Debug for EntityVec<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

impl<K: Handle, V> Index<K> for EntityVec<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: Handle, V> IndexMut<K> for EntityVec<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

/// A side table: one `V` for each handle, the default where none was set.
#[derive(Clone, Debug)]
pub struct SecondaryMap<K, V> {
    items: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Handle, V: Clone> SecondaryMap<K, V> {
    /// A table in which every handle has `default`.
    pub fn new(default: V) -> Self {
        SecondaryMap { items: Vec::new(), default, key: PhantomData }
    }
}

impl<K: Handle, V> Index<K> for SecondaryMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        self.items.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Handle, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        if self.items.len() <= key.index() {
            self.items.resize(key.index() + 1, self.default.clone());
        }
        &mut self.items[key.index()]
    }
}

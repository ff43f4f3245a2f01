//! Loads objects into this process through ORC's LLJIT.
//!
//! inkwell has no safe API for it, so the C functions are called here, and only here.

use crate::Error;
use crate::abi::Entry;
use inkwell::llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use inkwell::llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcLLJITAddObjectFileWithRT, LLVMOrcLLJITGetGlobalPrefix, LLVMOrcLLJITGetMainJITDylib,
    LLVMOrcLLJITLookup, LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use inkwell::llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols,
    LLVMOrcCSymbolMapPair, LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess, LLVMOrcDefinitionGeneratorRef,
    LLVMOrcJITDylibAddGenerator, LLVMOrcJITDylibCreateResourceTracker, LLVMOrcJITDylibDefine,
    LLVMOrcReleaseResourceTracker, LLVMOrcResourceTrackerRef, LLVMOrcResourceTrackerRemove,
};
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Loaded code; unloaded when the last of those that share it is dropped.
#[derive(Debug)]
pub(crate) struct Code {
    entry: Entry,
    symbol: String,
}

impl Code {
    pub(crate) fn entry(&self) -> Entry {
        self.entry
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Ok(loader) = loader() {
            let mut state = loader.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(loaded) = state.loaded.get_mut(&self.symbol) else { return };
            loaded.users -= 1;
            if loaded.users > 0 {
                return;
            }
            let tracker = loaded.tracker;
            state.loaded.remove(&self.symbol);
            // SAFETY: the tracker came from this loader and is released once, as its entry is gone. Nobody
            // runs the code any more, as running it borrows a `Code`, and this was the last one.
            unsafe {
                let _ = message(LLVMOrcResourceTrackerRemove(tracker));
                LLVMOrcReleaseResourceTracker(tracker);
            }
        }
    }
}

/// The one LLJIT of this process. It is never disposed of: code may be running until the end.
struct Loader(Mutex<State>);

struct State {
    jit: LLVMOrcLLJITRef,
    /// By the entry's symbol, which stands for the contents: what is loaded twice is there once.
    loaded: HashMap<String, Loaded>,
}

struct Loaded {
    entry: Entry,
    tracker: LLVMOrcResourceTrackerRef,
    users: usize,
}

// SAFETY: LLJIT and its trackers may be used from any thread, and the mutex lets one at a time.
unsafe impl Send for Loader {}
// SAFETY: as above.
unsafe impl Sync for Loader {}

/// The text of an error, which is consumed; `None` if there was none.
///
/// # Safety
/// `error` is null or an error that nobody has taken yet.
unsafe fn message(error: LLVMErrorRef) -> Option<String> {
    if error.is_null() {
        return None;
    }
    // SAFETY: the error is valid; its message is a C string that is disposed of once.
    unsafe {
        let text = LLVMGetErrorMessage(error);
        let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(text);
        Some(owned)
    }
}

fn loader() -> Result<&'static Loader, Error> {
    static LOADER: OnceLock<Result<Loader, String>> = OnceLock::new();
    // SAFETY: plain calls of the C API with valid out-pointers; each error is taken once.
    let make = || unsafe {
        crate::target::Cpu::host().machine(inkwell::OptimizationLevel::None).map_err(|e| e.to_string())?;
        let mut jit: LLVMOrcLLJITRef = ptr::null_mut();
        if let Some(error) = message(LLVMOrcCreateLLJIT(&mut jit, ptr::null_mut())) {
            return Err(error);
        }
        let library = LLVMOrcLLJITGetMainJITDylib(jit);
        let mut symbols: Vec<LLVMOrcCSymbolMapPair> = Vec::new();
        for (name, address) in crate::libm::functions() {
            let name = CString::new(name).map_err(|e| e.to_string())?;
            let flags = LLVMJITSymbolFlags {
                GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8,
                TargetFlags: 0,
            };
            let symbol = LLVMJITEvaluatedSymbol { Address: address as u64, Flags: flags };
            symbols.push(LLVMOrcCSymbolMapPair { Name: LLVMOrcLLJITMangleAndIntern(jit, name.as_ptr()), Sym: symbol });
        }
        let unit = LLVMOrcAbsoluteSymbols(symbols.as_mut_ptr(), symbols.len());
        if let Some(error) = message(LLVMOrcJITDylibDefine(library, unit)) {
            return Err(error);
        }
        // What the code generator may call by itself, such as `memset`, is in this process.
        let mut process: LLVMOrcDefinitionGeneratorRef = ptr::null_mut();
        let prefix = LLVMOrcLLJITGetGlobalPrefix(jit);
        let made = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&mut process, prefix, None, ptr::null_mut());
        if let Some(error) = message(made) {
            return Err(error);
        }
        LLVMOrcJITDylibAddGenerator(library, process);
        Ok(Loader(Mutex::new(State { jit, loaded: HashMap::new() })))
    };
    LOADER.get_or_init(make).as_ref().map_err(|e| Error::Host(e.clone()))
}

/// Code that is loaded already.
pub(crate) fn shared(symbol: &str) -> Option<Code> {
    let mut state = loader().ok()?.0.lock().unwrap_or_else(PoisonError::into_inner);
    let loaded = state.loaded.get_mut(symbol)?;
    loaded.users += 1;
    Some(Code { entry: loaded.entry, symbol: symbol.to_owned() })
}

/// Loads an object and finds its entry, whose name no object with other contents has.
pub(crate) fn load(kernel: &str, object: &[u8], symbol: &str) -> Result<Code, Error> {
    let failed = |message: String| Error::Load { kernel: kernel.into(), message };
    let name = CString::new(symbol).map_err(|e| failed(e.to_string()))?;
    let loader = loader()?;
    let mut state = loader.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(loaded) = state.loaded.get_mut(symbol) {
        loaded.users += 1;
        return Ok(Code { entry: loaded.entry, symbol: symbol.to_owned() });
    }
    let jit = state.jit;
    // SAFETY: the buffer is copied and given to the LLJIT; the tracker is of its main library; the
    // address that the look-up finds is that of a function with the ABI of `Entry`, as `lower` made it.
    unsafe {
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object.as_ptr().cast(), object.len(), name.as_ptr());
        let tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit));
        if let Some(error) = message(LLVMOrcLLJITAddObjectFileWithRT(jit, tracker, buffer)) {
            LLVMOrcReleaseResourceTracker(tracker);
            return Err(failed(error));
        }
        let mut address = 0;
        if let Some(error) = message(LLVMOrcLLJITLookup(jit, &mut address, name.as_ptr())) {
            let _ = message(LLVMOrcResourceTrackerRemove(tracker));
            LLVMOrcReleaseResourceTracker(tracker);
            return Err(failed(error));
        }
        let entry = std::mem::transmute::<usize, Entry>(address as usize);
        state.loaded.insert(symbol.to_owned(), Loaded { entry, tracker, users: 1 });
        Ok(Code { entry, symbol: symbol.to_owned() })
    }
}

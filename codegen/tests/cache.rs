//! Machine code that was kept on disk is as good as new, and what is there but is not that is replaced.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_codegen::cache::{Cache, set_current};
use pullback_codegen::{Cpu, Options, compile};
use pullback_ir::{parse, verify};
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

fn kernel(factor: u32) -> String {
    format!(
        "kernel scale(x: readwrite [f64; 1]) {{
           v0: i64 = thread_id 0
           v1: f64 = load x[v0].0
           v2: f64 = const {factor}.0
           v3: f64 = mul v1, v2
           store x[v0].0, v3
         }}"
    )
}

/// Compiles; gives the code back after it was dropped, so that the next one finds nothing loaded.
fn make(factor: u32, cpu: &Cpu) {
    let kernel = parse(&kernel(factor)).unwrap();
    drop(compile(&verify(&kernel).unwrap(), cpu, &Options::default()).unwrap());
}

fn files(folder: &PathBuf) -> Vec<(PathBuf, Vec<u8>, SystemTime)> {
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let written = fs::metadata(&path).unwrap().modified().unwrap();
            (path.clone(), fs::read(&path).unwrap(), written)
        })
        .collect();
    all.sort();
    all
}

#[test]
fn code_is_kept_found_again_and_rebuilt_where_it_is_damaged() {
    let folder = std::env::temp_dir().join(format!("pullback cache of code {}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    set_current(Some(Cache::new(&folder, 1 << 24)));

    make(2, Cpu::host());
    let first = files(&folder);
    assert_eq!(first.len(), 1);
    make(2, Cpu::host());
    assert_eq!(files(&folder), first, "found, and not written again");
    make(3, Cpu::host());
    assert_eq!(files(&folder).len(), 2, "another kernel");
    make(2, &Cpu::generic());
    assert_eq!(files(&folder).len(), 3, "another CPU");

    // A file that is not what it says; one that is cut off; one with another's contents.
    let (path, good, _) = &first[0];
    let other = files(&folder).into_iter().find(|(p, ..)| p != path).unwrap().1;
    for bad in [b"nonsense".to_vec(), good[..good.len() / 2].to_vec(), other, vec![]] {
        fs::write(path, bad).unwrap();
        make(2, Cpu::host());
        assert_eq!(&fs::read(path).unwrap(), good, "built anew");
    }

    // A folder that cannot be: the code is made all the same.
    set_current(Some(Cache::new(path, 1 << 24)));
    make(4, Cpu::host());
    // Several at once.
    set_current(Some(Cache::new(&folder, 1 << 24)));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (10..20).for_each(|factor| make(factor, Cpu::host())));
        }
    });
    let now = files(&folder);
    assert_eq!(now.len(), 13, "no file is left half-made");
    set_current(None);
    make(5, Cpu::host());
    assert_eq!(files(&folder), now);
    let _ = fs::remove_dir_all(&folder);
}

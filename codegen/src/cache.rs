//! Machine code on disk, so that a program that runs again compiles nothing.
//!
//! What is kept is LLVM's object, under the BLAKE3 hash of everything that it was made from: the lowered
//! text, the CPU, the pass list, and the versions of LLVM and of this crate. So an entry is never out of
//! date; there is nothing to invalidate. Files are written under a name of their own and then renamed, so
//! that several processes may share a folder; a file whose own hash does not fit its contents, or that
//! was made for another key, is built anew. All of this is an aid: where the disk does not play along,
//! the code is compiled, and nobody is told.
//!
//! The folder is `$PULLBACK_CACHE_DIR`, else the platform's own for such things
//! (`$XDG_CACHE_HOME/pullback` or `~/.cache/pullback`; `~/Library/Caches/pullback`;
//! `%LOCALAPPDATA%\pullback`). Set the variable to nothing to keep nothing. It holds 512 MiB at most, or
//! what `$PULLBACK_CACHE_MB` says; beyond that the files that were used longest ago go.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

/// What a file begins with.
const MAGIC: &[u8; 16] = b"pullback object\n";

/// A hash of all that an object was made from.
pub(crate) type Key = blake3::Hash;

/// A folder of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    /// Bytes.
    limit: u64,
}

static CURRENT: LazyLock<RwLock<Option<Cache>>> = LazyLock::new(|| RwLock::new(Cache::from_environment()));

/// The folder that this process keeps compiled code in; `None` if it keeps none.
pub fn current() -> Option<Cache> {
    CURRENT.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Makes this process keep compiled code in another folder, or (`None`) nowhere.
pub fn set_current(cache: Option<Cache>) {
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = cache;
}

impl Cache {
    /// A cache in `folder`, which is made when it is first needed, of at most `limit` bytes.
    pub fn new(folder: impl Into<PathBuf>, limit: u64) -> Self {
        Cache { folder: folder.into(), limit }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn from_environment() -> Option<Self> {
        let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let folder = match std::env::var_os("PULLBACK_CACHE_DIR") {
            Some(folder) if folder.is_empty() => return None,
            Some(folder) => PathBuf::from(folder),
            None if cfg!(windows) => variable("LOCALAPPDATA")?.join("pullback"),
            None if cfg!(target_os = "macos") => variable("HOME")?.join("Library/Caches/pullback"),
            None => match variable("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
                Some(caches) => caches.join("pullback"),
                None => variable("HOME")?.join(".cache/pullback"),
            },
        };
        let megabytes = std::env::var("PULLBACK_CACHE_MB").ok().and_then(|mb| mb.parse().ok()).unwrap_or(512u64);
        Some(Cache { folder, limit: megabytes.saturating_mul(1 << 20) })
    }

    fn file(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.o", key.to_hex()))
    }

    /// The object made from what `key` stands for, if it is there and whole.
    pub(crate) fn load(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.file(key);
        let bytes = fs::read(&path).ok()?;
        let object = match unpack(&bytes, key) {
            Some(object) => object.to_vec(),
            None => {
                let _ = fs::remove_file(&path);
                return None;
            }
        };
        // For the order in which files go; once a day is enough.
        let now = SystemTime::now();
        let stale = fs::metadata(&path)
            .and_then(|m| m.modified())
            .is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age > Duration::from_secs(24 * 60 * 60)));
        if stale {
            let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(now));
        }
        Some(object)
    }

    /// Keeps an object.
    pub(crate) fn store(&self, key: &Key, object: &[u8]) {
        static STORED: AtomicU64 = AtomicU64::new(0);
        // Bytes that this process may store before it looks at the folder again; the first time, at once.
        static ROOM: AtomicI64 = AtomicI64::new(0);
        let number = STORED.fetch_add(1, Ordering::Relaxed);
        let size = object.len() as i64;
        if self.write(key, object, number).is_some() && ROOM.fetch_sub(size, Ordering::Relaxed) <= size {
            let room = self.limit.saturating_sub(self.sweep());
            ROOM.store(i64::try_from(room).unwrap_or(i64::MAX), Ordering::Relaxed);
        }
    }

    fn write(&self, key: &Key, object: &[u8], number: u64) -> Option<()> {
        fs::create_dir_all(&self.folder).ok()?;
        let own = self.folder.join(format!("{}.{}.{number}.new", key.to_hex(), std::process::id()));
        let written = File::create(&own).and_then(|mut file| {
            file.write_all(MAGIC)?;
            file.write_all(key.as_bytes())?;
            file.write_all(blake3::hash(object).as_bytes())?;
            file.write_all(object)
        });
        if written.and_then(|()| fs::rename(&own, self.file(key))).is_err() {
            let _ = fs::remove_file(&own);
            return None;
        }
        Some(())
    }

    /// If the files are too many, removes those that were used longest ago until an eighth of the limit is
    /// free; and what a process that ended early left behind. Touches nothing that this module did not
    /// make. Returns the bytes that are left.
    fn sweep(&self) -> u64 {
        let Ok(entries) = fs::read_dir(&self.folder) else { return 0 };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let ours = name.split('.').next().is_some_and(|stem| blake3::Hash::from_hex(stem).is_ok());
            let Ok(data) = entry.metadata() else { continue };
            let (true, true, Ok(used)) = (ours, data.is_file(), data.modified()) else { continue };
            if name.ends_with(".new") {
                let hour = Duration::from_secs(60 * 60);
                if SystemTime::now().duration_since(used).is_ok_and(|age| age > hour) {
                    let _ = fs::remove_file(&path);
                }
            } else if name.ends_with(".o") {
                files.push((used, data.len(), path));
            }
        }
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        if total > self.limit {
            files.sort();
            for (_, size, path) in &files {
                if total <= self.limit - self.limit / 8 {
                    break;
                }
                if fs::remove_file(path).is_ok() {
                    total -= size;
                }
            }
        }
        total
    }
}

/// The object in a file's contents, if the file is whole and was made for this key.
fn unpack<'b>(bytes: &'b [u8], key: &Key) -> Option<&'b [u8]> {
    let rest = bytes.strip_prefix(MAGIC)?.strip_prefix(key.as_bytes())?;
    let (hash, object) = rest.split_first_chunk::<32>()?;
    (blake3::hash(object) == blake3::Hash::from_bytes(*hash)).then_some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(name: &str, limit: u64) -> Cache {
        let folder = std::env::temp_dir().join(format!("pullback cache test {name} {}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Cache::new(folder, limit)
    }

    #[test]
    fn what_was_stored_comes_back_whole_or_not_at_all() {
        let cache = fresh("whole", 1 << 20);
        let (a, b) = (blake3::hash(b"a"), blake3::hash(b"b"));
        assert_eq!(cache.load(&a), None, "there is no folder yet");
        cache.store(&a, b"object a");
        assert_eq!(cache.load(&a).as_deref(), Some(&b"object a"[..]));
        assert_eq!(cache.load(&b), None);
        // An entry under another's name.
        fs::copy(cache.file(&a), cache.file(&b)).expect("a copy");
        assert_eq!(cache.load(&b), None);
        assert!(!cache.file(&b).exists(), "what is of no use goes");
        // Every single byte counts, and so does the length.
        let good = fs::read(cache.file(&a)).expect("the file");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x20;
            fs::write(cache.file(&a), &bad).expect("written");
            assert_eq!(cache.load(&a), None, "byte {at}");
            fs::write(cache.file(&a), &good[..at]).expect("written");
            assert_eq!(cache.load(&a), None, "{at} bytes");
        }
        cache.store(&a, b"object a");
        assert_eq!(cache.load(&a).as_deref(), Some(&b"object a"[..]));
        let _ = fs::remove_dir_all(cache.folder());
    }

    #[test]
    fn the_folder_is_bounded_and_other_files_stay() {
        let cache = fresh("bounded", 5_000);
        fs::create_dir_all(cache.folder()).expect("a folder");
        fs::write(cache.folder().join("mine.o"), vec![0; 10_000]).expect("written");
        let keys: Vec<Key> = (0..10u8).map(|i| blake3::hash(&[i])).collect();
        for (i, key) in (0..).zip(&keys) {
            cache.write(key, &[0; 1_000], i).expect("stored");
            let old = SystemTime::now() - Duration::from_secs(1_000 - i);
            let file = File::options().append(true).open(cache.file(key)).expect("the file");
            file.set_modified(old).expect("a time");
        }
        cache.sweep();
        let kept: Vec<bool> = keys.iter().map(|key| cache.load(key).is_some()).collect();
        assert_eq!(kept, [false, false, false, false, false, false, true, true, true, true]);
        assert!(cache.folder().join("mine.o").exists());
        let _ = fs::remove_dir_all(cache.folder());
    }
}

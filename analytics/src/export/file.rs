//! A file that is whole or not there.
//!
//! Decides that a file is written beside its place under a name that no reader of the data takes
//! for data (`.games.csv.tmp`), and takes its name when all of it is on the disk.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{ExportError, ExportedFile};

/// A file under construction. Dropped unfinished, it is removed.
pub(super) struct WholeFile {
    path: PathBuf,
    temporary: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl WholeFile {
    /// Starts a file and makes its folder.
    pub(super) fn create(path: &Path) -> Result<Self, ExportError> {
        let failed = |cause| ExportError::File { path: path.to_owned(), cause };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!(".{name}.tmp"));
        let file = File::create(&temporary).map_err(failed)?;
        let writer = Some(BufWriter::with_capacity(1 << 16, file));
        Ok(Self { path: path.to_owned(), temporary, writer })
    }

    /// Gives the file its name.
    pub(super) fn finish(mut self) -> Result<ExportedFile, ExportError> {
        let path = self.path.clone();
        let bytes = self.complete().map_err(|cause| ExportError::File { path, cause })?;
        Ok(ExportedFile { path: std::mem::take(&mut self.path), bytes })
    }

    fn complete(&mut self) -> std::io::Result<u64> {
        let Some(writer) = self.writer.as_mut() else { return Ok(0) };
        writer.flush()?;
        let file = writer.get_ref();
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        std::fs::rename(&self.temporary, &self.path)?;
        self.writer = None;
        Ok(bytes)
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.as_mut().map_or(Ok(0), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            // Nobody takes what is left for data, so that failing to remove it does no harm.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_file_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub/games.csv");
        let mut first = WholeFile::create(&path).unwrap();
        first.write_all(b"first").unwrap();
        assert!(!path.exists());
        assert_eq!(first.finish().unwrap().bytes, 5);
        let mut second = WholeFile::create(&path).unwrap();
        second.write_all(b"second").unwrap();
        drop(second);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}

//! Generational keys over the world's dense indices.
//!
//! A key is an index and a version. The version of a live index is odd and counts up with
//! every birth and death, so a key names one thing for ever. Indices are given out again,
//! last out first in: which key comes next follows from the calls alone, also after a
//! snapshot.

use std::marker::PhantomData;

use drystone_solver::STATIC_SLOT;
use serde::{Deserialize, Serialize};
use slotmap::{Key, KeyData};

use crate::error::DefError;

/// Which indices are in use, and under which keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeyTable<K> {
    versions: Vec<u32>,
    free: Vec<u32>,
    #[serde(skip)]
    kind: PhantomData<K>,
}

impl<K> Default for KeyTable<K> {
    fn default() -> Self {
        Self {
            versions: Vec::new(),
            free: Vec::new(),
            kind: PhantomData,
        }
    }
}

impl<K: Key> KeyTable<K> {
    /// A free index, or the next new one, with its key. Fails when indices run out.
    pub(crate) fn insert(&mut self) -> Result<(u32, K), DefError> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if self.versions.len() < STATIC_SLOT as usize => {
                self.versions.push(0);
                self.versions.len() as u32 - 1
            }
            None => return Err(DefError::Full),
        };
        let version = &mut self.versions[index as usize];
        *version = version.wrapping_add(1);
        Ok((index, self.key(index)))
    }

    /// Makes room for `more` keys. Answers with how many of them will be new indices.
    pub(crate) fn reserve(&mut self, more: usize) -> usize {
        let new = more.saturating_sub(self.free.len());
        self.versions.reserve(new);
        new
    }

    /// Frees an index that is in use; its keys are stale from now on.
    pub(crate) fn remove(&mut self, index: u32) {
        debug_assert!(self.is_live(index));
        let version = &mut self.versions[index as usize];
        *version = version.wrapping_add(1);
        self.free.push(index);
    }

    /// The index a key names, unless it is stale.
    pub(crate) fn get(&self, key: K) -> Option<u32> {
        let bits = key.data().as_ffi();
        let (index, version) = (bits as u32, (bits >> 32) as u32);
        (self.versions.get(index as usize) == Some(&version)).then_some(index)
    }

    /// The key of an index in use.
    pub(crate) fn key(&self, index: u32) -> K {
        let version = self.versions[index as usize];
        K::from(KeyData::from_ffi(
            u64::from(version) << 32 | u64::from(index),
        ))
    }

    /// Whether an index is in use.
    pub(crate) fn is_live(&self, index: u32) -> bool {
        (self.versions.get(index as usize)).is_some_and(|version| version % 2 == 1)
    }

    /// Number of indices in use.
    pub(crate) fn len(&self) -> usize {
        self.versions.len() - self.free.len()
    }

    /// Number of indices ever used: the length of columns.
    pub(crate) fn slots(&self) -> usize {
        self.versions.len()
    }

    /// The indices in use, rising.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.versions.len() as u32).filter(|index| self.is_live(*index))
    }

    /// Whether the free list names exactly the indices that are not in use, for what was
    /// read from outside.
    pub(crate) fn is_sound(&self) -> bool {
        let mut seen = vec![false; self.versions.len()];
        for &index in &self.free {
            match seen.get_mut(index as usize) {
                Some(seen) if !*seen && !self.is_live(index) => *seen = true,
                _ => return false,
            }
        }
        let dead = self.versions.iter().filter(|v| **v % 2 == 0).count();
        dead == self.free.len() && self.versions.len() <= STATIC_SLOT as usize
    }
}

//! Where contacts are among bundles.

/// The lane of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Index into the lots of `points`.
    pub(crate) lot: u32,
    pub(crate) bundle: u16,
    pub(crate) lane: u8,
    /// 1, 2 or 4; 0 when the contact is not solved.
    pub(crate) points: u8,
}

impl Place {
    pub(super) fn pack(self) -> u64 {
        u64::from(self.lot) << 32
            | u64::from(self.bundle) << 16
            | u64::from(self.lane) << 8
            | u64::from(self.points)
    }

    pub(crate) fn unpack(bits: u64) -> Self {
        Self {
            lot: (bits >> 32) as u32,
            bundle: (bits >> 16) as u16,
            lane: (bits >> 8) as u8,
            points: bits as u8,
        }
    }
}

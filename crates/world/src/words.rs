//! Plain data seen as a stream of numbers: what hashes it and what looks for numbers that
//! are not finite.
//!
//! A serde format without bytes: whatever derives `Serialize` can be visited, new fields
//! included, at a few instructions a number.

use postcard::Error;
use serde::{Serialize, Serializer, ser};

/// What is told of every number.
pub(crate) trait Visit {
    /// An integer, a flag, a length, or the number of a variant.
    fn integer(&mut self, value: u64);
    /// A number of single precision.
    fn single(&mut self, value: f32);
    /// A number of double precision.
    fn double(&mut self, value: f64);
}

/// Shows every number of `data` to `visitor`, in order.
pub(crate) fn visit(data: &impl Serialize, visitor: &mut impl Visit) {
    let shown = data.serialize(&mut Words(visitor));
    shown.expect("showing plain data cannot fail");
}

struct Words<'a, V>(&'a mut V);

type Shown = Result<(), Error>;

impl<V: Visit> Words<'_, V> {
    #[inline]
    fn integer(&mut self, value: u64) -> Shown {
        self.0.integer(value);
        Ok(())
    }
}

impl<'a, 'b, V: Visit> Serializer for &'a mut Words<'b, V> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    fn is_human_readable(&self) -> bool {
        false
    }
    fn serialize_bool(self, v: bool) -> Shown {
        self.integer(u64::from(v))
    }
    fn serialize_i8(self, v: i8) -> Shown {
        self.integer(v as u64)
    }
    fn serialize_i16(self, v: i16) -> Shown {
        self.integer(v as u64)
    }
    fn serialize_i32(self, v: i32) -> Shown {
        self.integer(v as u64)
    }
    fn serialize_i64(self, v: i64) -> Shown {
        self.integer(v as u64)
    }
    fn serialize_u8(self, v: u8) -> Shown {
        self.integer(u64::from(v))
    }
    fn serialize_u16(self, v: u16) -> Shown {
        self.integer(u64::from(v))
    }
    fn serialize_u32(self, v: u32) -> Shown {
        self.integer(u64::from(v))
    }
    fn serialize_u64(self, v: u64) -> Shown {
        self.integer(v)
    }
    fn serialize_f32(self, v: f32) -> Shown {
        self.0.single(v);
        Ok(())
    }
    fn serialize_f64(self, v: f64) -> Shown {
        self.0.double(v);
        Ok(())
    }
    fn serialize_char(self, v: char) -> Shown {
        self.integer(u64::from(u32::from(v)))
    }
    fn serialize_str(self, v: &str) -> Shown {
        self.serialize_bytes(v.as_bytes())
    }
    fn serialize_bytes(self, v: &[u8]) -> Shown {
        self.integer(v.len() as u64)?;
        for byte in v {
            self.integer(u64::from(*byte))?;
        }
        Ok(())
    }
    fn serialize_none(self) -> Shown {
        self.integer(0)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Shown {
        self.integer(1)?;
        value.serialize(self)
    }
    fn serialize_unit(self) -> Shown {
        Ok(())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Shown {
        Ok(())
    }
    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Shown {
        self.integer(u64::from(index))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, v: &T) -> Shown {
        v.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Shown {
        self.integer(u64::from(index))?;
        value.serialize(self)
    }
    fn serialize_seq(self, len: Option<usize>) -> Result<Self, Error> {
        self.integer(len.map_or(u64::MAX, |len| len as u64))?;
        Ok(self)
    }
    fn serialize_tuple(self, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Error> {
        self.integer(u64::from(index))?;
        Ok(self)
    }
    fn serialize_map(self, len: Option<usize>) -> Result<Self, Error> {
        self.serialize_seq(len)
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Error> {
        self.integer(u64::from(index))?;
        Ok(self)
    }
}

impl<V: Visit> ser::SerializeSeq for &mut Words<'_, V> {
    type Ok = ();
    type Error = Error;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Shown {
        value.serialize(&mut **self)
    }
    fn end(self) -> Shown {
        Ok(())
    }
}

impl<V: Visit> ser::SerializeTuple for &mut Words<'_, V> {
    type Ok = ();
    type Error = Error;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Shown {
        value.serialize(&mut **self)
    }
    fn end(self) -> Shown {
        Ok(())
    }
}

impl<V: Visit> ser::SerializeTupleStruct for &mut Words<'_, V> {
    type Ok = ();
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Shown {
        value.serialize(&mut **self)
    }
    fn end(self) -> Shown {
        Ok(())
    }
}

impl<V: Visit> ser::SerializeTupleVariant for &mut Words<'_, V> {
    type Ok = ();
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Shown {
        value.serialize(&mut **self)
    }
    fn end(self) -> Shown {
        Ok(())
    }
}

impl<V: Visit> ser::SerializeMap for &mut Words<'_, V> {
    type Ok = ();
    type Error = Error;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Shown {
        key.serialize(&mut **self)
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Shown {
        value.serialize(&mut **self)
    }
    fn end(self) -> Shown {
        Ok(())
    }
}

impl<V: Visit> ser::SerializeStruct for &mut Words<'_, V> {
    type Ok = ();
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Shown {
        value.serialize(&mut **self)
    }
    fn end(self) -> Shown {
        Ok(())
    }
}

impl<V: Visit> ser::SerializeStructVariant for &mut Words<'_, V> {
    type Ok = ();
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Shown {
        value.serialize(&mut **self)
    }
    fn end(self) -> Shown {
        Ok(())
    }
}

// A recording: chunks in, states of bodies and contacts out. The writer's side of this format
// is crates/cli/src/view.
const PRESENT = 1;
const AWAKE = 2;
const HEAD = 45;

// The state of every body at one frame, in whole steps as stored.
class Poses {
  constructor(count) {
    this.count = count;
    this.position = new Int32Array(3 * count);
    this.rotation = new Int32Array(4 * count);
    this.speed = new Float32Array(count);
    this.spin = new Float32Array(count);
    this.flags = new Uint8Array(count);
    this.island = new Uint32Array(count);
  }

  copy(other) {
    for (const name of ['position', 'rotation', 'speed', 'spin', 'flags', 'island']) {
      this[name].set(other[name]);
    }
  }

  grown(count) {
    const larger = new Poses(count);
    larger.copy(this);
    return larger;
  }
}

// Reads one column of a frame.
class Column {
  constructor(bytes, start, end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  byte() {
    return this.bytes[this.at++];
  }

  count() {
    let value = 0, shift = 0, byte;
    do {
      byte = this.bytes[this.at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    return value >>> 0;
  }

  signed() {
    const value = this.count();
    return (value >>> 1) ^ -(value & 1);
  }
}

class Tape {
  constructor() {
    this.pending = new Uint8Array(0);
    this.clear();
  }

  clear() {
    this.scene = null;
    this.bodies = [];
    this.hulls = [];
    this.joints = [];
    this.frames = [];
    this.bytes = 0;
    this.contacts = [];
    this.start = new Poses(0);
    this.before = new Poses(0);
    this.after = new Poses(0);
    this.shown = -1;
    this.version = (this.version || 0) + 1;
  }

  // Takes in bytes; chunks may be cut anywhere.
  feed(bytes) {
    if (this.pending.length) {
      const joined = new Uint8Array(this.pending.length + bytes.length);
      joined.set(this.pending);
      joined.set(bytes, this.pending.length);
      bytes = joined;
    }
    let at = 0;
    while (at + 5 <= bytes.length) {
      const view = new DataView(bytes.buffer, bytes.byteOffset + at);
      const end = at + 5 + view.getUint32(0, true);
      if (end > bytes.length) break;
      this.chunk(String.fromCharCode(bytes[at + 4]), bytes.subarray(at + 5, end));
      at = end;
    }
    this.pending = bytes.slice(at);
  }

  chunk(kind, bytes) {
    if (kind === 'F') this.frames.push(this.head(bytes));
    if (kind !== 'S' && kind !== 'M') return;
    const json = JSON.parse(new TextDecoder().decode(bytes));
    if (kind === 'S') {
      this.clear();
      this.scene = json.scene;
    }
    this.describe(json, kind === 'S');
  }

  // Adds bodies; those that come later are absent until a frame says that they are there.
  describe(json, present) {
    const first = this.bodies.length;
    this.hulls.push(...json.hulls);
    this.bodies.push(...json.bodies);
    this.joints.push(...json.joints);
    const count = this.bodies.length;
    for (const name of ['start', 'before', 'after']) this[name] = this[name].grown(count);
    for (let i = first; i < count; i++) {
      for (const poses of [this.start, this.before, this.after]) {
        poses.position.set(this.bodies[i].p, 3 * i);
        poses.rotation.set(this.bodies[i].q, 4 * i);
        poses.flags[i] = present ? PRESENT | AWAKE : 0;
      }
    }
    this.version++;
  }

  head(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.bytes += bytes.length;
    return {
      bytes,
      isKey: bytes[0] === 1,
      time: view.getFloat64(1, true),
      kinetic: view.getFloat64(9, true),
      potential: view.getFloat64(17, true),
      awake: view.getUint32(25, true),
      touching: view.getUint32(29, true),
      points: view.getUint32(33, true),
      steps: view.getUint32(37, true),
      cost: view.getFloat32(41, true),
    };
  }

  // Forgets the oldest frames up to a key frame, so that a long live show fits in memory.
  trim(most) {
    if (this.bytes <= most) return 0;
    let cut = 1;
    while (cut < this.frames.length && !this.frames[cut].isKey) cut++;
    if (cut >= this.frames.length) return 0;
    for (const frame of this.frames.splice(0, cut)) this.bytes -= frame.bytes.length;
    this.shown = Math.max(this.shown - cut, -1);
    return cut;
  }

  // Makes `after` the state of frame `index` and `before` the state of the frame before.
  show(index) {
    if (index === this.shown || !this.frames[index]) return;
    if (index !== this.shown + 1 || this.shown < 0) {
      let key = Math.max(index - 1, 0);
      while (key > 0 && !this.frames[key].isKey) key--;
      for (let i = key; i < index; i++) this.decode(this.frames[i].bytes);
      if (index === 0) this.decode(this.frames[0].bytes);
    }
    this.before.copy(this.after);
    if (index > 0) this.decode(this.frames[index].bytes);
    this.shown = index;
  }

  decode(bytes) {
    if (bytes[0] === 1) {
      this.after.copy(this.start);
      this.contacts.length = 0;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = HEAD + 32;
    const columns = [];
    for (let i = 0; i < 8; i++) {
      const end = start + view.getUint32(HEAD + 4 * i, true);
      columns.push(new Column(bytes, start, end));
      start = end;
    }
    this.decodeBodies(...columns.slice(0, 4));
    this.decodeContacts(...columns.slice(4));
  }

  decodeBodies(heads, positions, rotations, rest) {
    const poses = this.after;
    let number = 0;
    while (heads.at < heads.end) {
      number += heads.count();
      const mask = heads.byte();
      if (mask & 1) for (let k = 0; k < 3; k++) poses.position[3 * number + k] += positions.signed();
      if (mask & 2) for (let k = 0; k < 4; k++) poses.rotation[4 * number + k] += rotations.signed();
      if (mask & 4) {
        poses.speed[number] = this.speed(rest.byte());
        poses.spin[number] = this.speed(rest.byte());
      }
      if (mask & 8) poses.flags[number] = rest.byte();
      if (mask & 16) poses.island[number] = rest.count();
      number++;
    }
  }

  decodeContacts(heads, who, places, impulses) {
    let number = 0;
    while (heads.at < heads.end) {
      number += heads.count();
      const mask = heads.byte();
      if (mask & 16) {
        this.contacts[number++] = undefined;
        continue;
      }
      let contact = this.contacts[number];
      if (!contact) {
        contact = { a: 0, b: 0, onB: false, normal: [0, 1, 0], points: [], impulses: [0, 0, 0, 0], rung: 0, colour: 255 };
        this.contacts[number] = contact;
      }
      if (mask & 1) {
        contact.a = who.count();
        const b = who.count();
        contact.b = b >>> 1;
        contact.onB = (b & 1) === 1;
      }
      if (mask & 2) {
        const count = places.byte();
        contact.normal = [0, 1, 2].map(() => (places.byte() << 24 >> 24) / this.scene.normalSteps);
        contact.points = [];
        for (let i = 0; i < count; i++) {
          contact.points.push([0, 1, 2].map(() => places.signed() * this.scene.pointStep));
        }
      }
      if (mask & 4) contact.impulses = [0, 1, 2, 3].map(() => this.impulse(impulses.byte()));
      if (mask & 8) {
        contact.rung = impulses.byte();
        contact.colour = impulses.byte();
      }
      number++;
    }
  }

  // Stored as logarithms, 0 for none.
  impulse(level) {
    return level === 0 ? 0 : this.scene.leastImpulse * 2 ** ((level - 1) / this.scene.impulseSteps);
  }

  speed(level) {
    return level === 0 ? 0 : this.scene.leastSpeed * 2 ** ((level - 1) / this.scene.speedSteps);
  }
}

// A scene that runs behind this page: frames come as a stream, commands go as words.
class Live {
  constructor(tape, changed, ended) {
    this.tape = tape;
    this.changed = changed;
    this.ended = ended;
    this.waiting = Promise.resolve();
  }

  async listen() {
    try {
      const answer = await fetch('stream');
      const reader = answer.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        this.tape.feed(value);
        this.changed();
      }
    } catch {
      // The same end as when the stream is closed.
    }
    this.ended();
  }

  // Commands arrive in the order they were given.
  send(...words) {
    const text = words.map((word) => (typeof word === 'number' ? String(Math.fround(word)) : word)).join(' ');
    this.waiting = this.waiting.then(() => fetch('command', { method: 'POST', body: text })).catch(() => {});
  }
}

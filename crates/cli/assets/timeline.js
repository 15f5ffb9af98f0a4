// Plots under the scene: energy and contact count over the whole time, with the place shown.
class Timeline {
  constructor(canvas, tape) {
    this.canvas = canvas;
    this.tape = tape;
    // Drawn anew only when there is more to plot.
    this.plots = document.createElement('canvas');
  }

  // Least and greatest of each column of pixels.
  columns(width, value) {
    const { frames } = this.tape;
    const columns = [];
    for (let x = 0; x < width; x++) {
      const first = Math.floor(x * frames.length / width);
      const last = Math.max(first + 1, Math.floor((x + 1) * frames.length / width));
      let low = Infinity, high = -Infinity;
      for (let i = first; i < last && i < frames.length; i++) {
        const v = value(frames[i]);
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
      columns.push([low, high]);
    }
    return columns;
  }

  draw(cursor) {
    const { canvas, tape: { frames } } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height || this.count !== frames.length) {
      for (const each of [canvas, this.plots]) {
        each.width = width;
        each.height = height;
      }
      this.count = frames.length;
      this.plot(width, height, ratio);
    }
    const context = canvas.getContext('2d');
    context.drawImage(this.plots, 0, 0);
    const x = frames.length > 1 ? cursor / (frames.length - 1) * (width - 1) : 0;
    context.fillStyle = '#c02020';
    context.fillRect(Math.round(x) - ratio / 2, 0, 1.5 * ratio, height);
  }

  plot(width, height, ratio) {
    const context = this.plots.getContext('2d');
    const half = Math.floor(height / 2);
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, width, height);
    context.fillStyle = '#dde3e8';
    context.fillRect(0, half, width, ratio);
    if (!this.tape.frames.length) return;
    const total = (frame) => frame.kinetic + frame.potential;
    // Potential energy has no natural zero: all are shown from its least.
    let least = Infinity;
    for (const frame of this.tape.frames) least = Math.min(least, frame.potential);
    const energies = [
      ['#3c4650', this.columns(width, (frame) => total(frame) - least)],
      ['#d0572b', this.columns(width, (frame) => frame.kinetic)],
    ];
    const counts = [
      ['#7a9a3a', this.columns(width, (frame) => frame.awake)],
      ['#2f6f9f', this.columns(width, (frame) => frame.touching)],
    ];
    this.strip(context, energies, 0, half, ratio, ' J');
    for (const count of counts) this.strip(context, [count], half, height - half, ratio, '');
  }

  strip(context, series, top, height, ratio, unitName) {
    let most = 0;
    for (const [, columns] of series) for (const [, high] of columns) if (high > most) most = high;
    const scale = most > 0 ? (height - 4 * ratio) / most : 0;
    for (const [colour, columns] of series) {
      context.fillStyle = colour;
      columns.forEach(([low, high], x) => {
        if (!(low <= high)) return;
        const y = top + height - 2 * ratio - high * scale;
        context.fillRect(x, y, 1, Math.max((high - low) * scale, 1.5 * ratio));
      });
    }
    if (unitName) {
      context.fillStyle = '#5a6670';
      context.font = `${10 * ratio}px system-ui, sans-serif`;
      context.fillText(short(most) + unitName, 3 * ratio, top + 11 * ratio);
    }
  }
}

// A number in few digits.
function short(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(2);
  return size >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}

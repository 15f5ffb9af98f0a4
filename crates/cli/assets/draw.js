// WebGL 2: meshes in instances, a plane with a grid, lines of a width in pixels.
const INSTANCE = 13;
const LINE = 8;
const SHADOW_SIZE = 2048;
const SUN = unit([-0.5, 0.8, 0.4]);
const LIT = 0, DEPTH = 1, NUMBER = 2, WHERE = 3, EDGES = 4;

// Instances of one mesh, or lines: numbers that grow, and a buffer on the card for them.
class Batch {
  constructor(gl, width) {
    this.gl = gl;
    this.width = width;
    this.count = 0;
    this.room = 0;
    this.buffer = gl.createBuffer();
    this.reserve(64);
  }

  reserve(count) {
    if (count <= this.room) return;
    const old = this.floats;
    this.room = Math.max(count, 2 * this.room);
    this.floats = new Float32Array(this.room * this.width);
    if (old) this.floats.set(old);
    this.words = new Uint32Array(this.floats.buffer);
    this.isNew = true;
  }

  // The place of the next entry in `floats` and `words`.
  next() {
    this.reserve(this.count + 1);
    return this.width * this.count++;
  }

  upload() {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    if (this.isNew) gl.bufferData(gl.ARRAY_BUFFER, this.floats.byteLength, gl.DYNAMIC_DRAW);
    this.isNew = false;
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.floats, 0, this.count * this.width);
  }
}

class Renderer {
  constructor(canvas) {
    const gl = canvas.getContext('webgl2', { antialias: true, alpha: false });
    if (!gl) throw new Error('This page needs WebGL 2, which this browser does not offer here.');
    this.gl = gl;
    this.canvas = canvas;
    this.solid = this.program(SHADERS.pose + SHADERS.solidVertex, SHADERS.light + SHADERS.solidFragment);
    this.plane = this.program(SHADERS.planeVertex, SHADERS.light + SHADERS.planeFragment);
    this.line = this.program(SHADERS.lineVertex, SHADERS.lineFragment);
    this.meshes = [];
    this.quad = this.array([[0, 2, this.upload([-1, -1, 1, -1, -1, 1, 1, 1]), 8, 0, gl.FLOAT, 0]]);
    this.overlay = this.lines();
    this.frameLines = this.lines();
    this.makeShadow();
    this.makePick();
    this.drawn = 0;
  }

  program(vertex, fragment) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, '#version 300 es\nprecision highp float;\nprecision highp int;\n' + text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const at = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }

  upload(numbers) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    return buffer;
  }

  // A vertex array; each attribute: location, numbers, buffer, stride, offset, type, divisor.
  array(attributes) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const [location, size, buffer, stride, offset, type, divisor] of attributes) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, type, type === gl.UNSIGNED_BYTE, stride, offset);
      gl.vertexAttribDivisor(location, divisor);
    }
    return array;
  }

  // Makes a mesh ready to be drawn in instances.
  addMesh(mesh) {
    const { gl } = this;
    const batch = new Batch(gl, INSTANCE);
    const corners = this.upload(mesh.corners);
    const stride = 4 * INSTANCE;
    batch.array = this.array([
      [0, 4, corners, 28, 0, gl.FLOAT, 0],
      [1, 3, corners, 28, 16, gl.FLOAT, 0],
      [2, 3, batch.buffer, stride, 0, gl.FLOAT, 1],
      [3, 4, batch.buffer, stride, 12, gl.FLOAT, 1],
      [4, 4, batch.buffer, stride, 28, gl.FLOAT, 1],
      [5, 4, batch.buffer, stride, 44, gl.UNSIGNED_BYTE, 1],
      [6, 1, batch.buffer, stride, 48, gl.FLOAT, 1],
    ]);
    const indices = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array([...mesh.triangles, ...mesh.edges]), gl.STATIC_DRAW);
    batch.triangles = mesh.triangles.length;
    batch.edges = mesh.edges.length;
    batch.isRound = mesh.isRound;
    batch.made = [corners, indices];
    this.meshes.push(batch);
    return batch;
  }

  clearMeshes() {
    const { gl } = this;
    for (const batch of this.meshes) {
      gl.deleteVertexArray(batch.array);
      for (const buffer of [batch.buffer, ...batch.made]) gl.deleteBuffer(buffer);
    }
    this.meshes = [];
  }

  lines() {
    const { gl } = this;
    const batch = new Batch(gl, LINE);
    const corners = this.upload([0, 0, 1, 0, 0, 1, 1, 1]);
    batch.array = this.array([
      [0, 2, corners, 8, 0, gl.FLOAT, 0],
      [1, 3, batch.buffer, 32, 0, gl.FLOAT, 1],
      [2, 3, batch.buffer, 32, 12, gl.FLOAT, 1],
      [3, 4, batch.buffer, 32, 24, gl.UNSIGNED_BYTE, 1],
      [4, 1, batch.buffer, 32, 28, gl.FLOAT, 1],
    ]);
    return batch;
  }

  makeShadow() {
    const { gl } = this;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.shadowTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.drawBuffers([gl.NONE]);
    gl.readBuffer(gl.NONE);
  }

  makePick() {
    const { gl } = this;
    this.pickTarget = gl.createFramebuffer();
    this.pickColour = gl.createRenderbuffer();
    this.pickDepth = gl.createRenderbuffer();
  }

  // Fits the drawing buffer to the window.
  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width === width && this.canvas.height === height) return false;
    this.canvas.width = width;
    this.canvas.height = height;
    return true;
  }

  uploadAll() {
    for (const batch of [...this.meshes, this.overlay, this.frameLines]) batch.upload();
  }

  solids(mode, clip) {
    const { gl } = this;
    const { at } = this.solid;
    gl.uniform1i(at.mode, mode);
    gl.uniformMatrix4fv(at.clip, false, clip);
    for (const batch of this.meshes) {
      if (batch.count === 0) continue;
      gl.bindVertexArray(batch.array);
      gl.uniform1f(at.isRound, batch.isRound ? 1 : 0);
      if (mode === EDGES) {
        if (batch.edges === 0) continue;
        gl.drawElementsInstanced(gl.LINES, batch.edges, gl.UNSIGNED_INT, 4 * batch.triangles, batch.count);
      } else {
        gl.drawElementsInstanced(gl.TRIANGLES, batch.triangles, gl.UNSIGNED_INT, 0, batch.count);
        this.drawn += batch.count;
      }
    }
  }

  // Light for a ball around the target that holds what is looked at.
  sunClip(camera) {
    const radius = Math.min(camera.size * 1.6, camera.distance * 1.4);
    const right = aside(SUN);
    const up = cross(SUN, right);
    // Whole steps of the map, so that shadows do not shimmer as the camera moves.
    const texel = 2 * radius / SHADOW_SIZE;
    const snap = (axis) => scaled(axis, Math.round(dot(camera.target, axis) / texel) * texel);
    const middle = add(add(snap(right), snap(up)), scaled(SUN, dot(camera.target, SUN)));
    this.texel = texel;
    return matrixProduct(parallel(radius, 3 * radius + camera.size), seenFrom(middle, right, up, SUN));
  }

  draw(camera, planes, options) {
    const { gl, canvas } = this;
    this.drawn = 0;
    this.uploadAll();
    const aspect = canvas.width / canvas.height;
    const clip = camera.clip(aspect);
    const sunClip = this.sunClip(camera);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
    gl.useProgram(this.solid.program);
    if (options.shadows) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
      gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1.5, 2);
      gl.bindTexture(gl.TEXTURE_2D, null);
      this.solids(DEPTH, sunClip);
      this.drawn = 0;
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0.851, 0.871, 0.890, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    this.light(this.solid, sunClip, options);
    gl.uniform1f(this.solid.at.chosen, options.chosen);
    gl.uniform3fv(this.solid.at.eye, camera.eye());
    gl.uniform3fv(this.solid.at.back, camera.axes().back);
    gl.uniform1f(this.solid.at.cut, dot(camera.target, camera.axes().back) + (options.walls ? 0.05 * camera.size : 1e9));
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    this.solids(LIT, clip);
    this.light(this.plane, sunClip, options);
    this.planes(planes, camera, clip);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    // Pixels of a body's radius, as a share of the scene's size, at a distance of 1 m.
    const edgeScale = 4 * camera.size * canvas.height / (2 * Math.tan(camera.angle / 2));
    if (options.edges && options.largest / (4 * camera.size) * edgeScale / camera.distance > 3) {
      gl.useProgram(this.solid.program);
      gl.uniform1f(this.solid.at.edgeScale, edgeScale);
      this.solids(EDGES, clip);
    }
    this.strokes(this.frameLines, clip, [[gl.LEQUAL, 1]]);
    // What lies inside bodies shows through them, fainter.
    this.strokes(this.overlay, clip, [[gl.GREATER, 0.45], [gl.LEQUAL, 1]]);
  }

  light({ program, at }, sunClip, options) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.sunClip, false, sunClip);
    gl.uniform3fv(at.sun, SUN);
    gl.uniform1f(at.shadowTexel, this.texel);
    gl.uniform1f(at.hasShadow, options.shadows ? 1 : 0);
  }

  planes(planes, camera, clip) {
    const { gl } = this;
    const { at } = this.plane;
    gl.bindVertexArray(this.quad);
    gl.uniformMatrix4fv(at.clip, false, clip);
    const spacing = 10 ** Math.round(Math.log10(camera.size / 6));
    for (const { point, normal } of planes) {
      // The quad follows the target, so that there is always ground where one looks.
      const middle = sub(camera.target, scaled(normal, dot(sub(camera.target, point), normal)));
      const along = Math.abs(normal[1]) > 0.9 ? unit(cross(normal, [0, 0, 1])) : aside(normal);
      gl.uniform3fv(at.middle, middle);
      gl.uniform3fv(at.along, along);
      gl.uniform3fv(at.across, cross(along, normal));
      gl.uniform1f(at.reach, 4 * camera.distance + 12 * camera.size);
      gl.uniform1f(at.spacing, spacing);
      gl.frontFace(gl.CW);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      gl.frontFace(gl.CCW);
    }
  }

  strokes(batch, clip, passes) {
    const { gl, canvas } = this;
    if (batch.count === 0) return;
    const { program, at } = this.line;
    gl.useProgram(program);
    gl.bindVertexArray(batch.array);
    gl.uniformMatrix4fv(at.clip, false, clip);
    gl.uniform2f(at.pixels, canvas.width, canvas.height);
    gl.disable(gl.CULL_FACE);
    gl.depthMask(false);
    for (const [test, opacity] of passes) {
      gl.depthFunc(test);
      gl.uniform1f(at.opacity, opacity);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, batch.count);
    }
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.enable(gl.CULL_FACE);
  }

  // The body at a point of the window and where it is hit, or null.
  pick(camera, x, y) {
    const { gl, canvas } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickTarget);
    for (const [buffer, format, place] of [
      [this.pickColour, gl.RGBA8, gl.COLOR_ATTACHMENT0], [this.pickDepth, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT],
    ]) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, canvas.width, canvas.height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
    const ratio = canvas.width / canvas.clientWidth;
    const [px, py] = [Math.floor(x * ratio), canvas.height - 1 - Math.floor(y * ratio)];
    const clip = camera.clip(canvas.width / canvas.height);
    const read = (mode) => {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickTarget);
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.enable(gl.SCISSOR_TEST);
      gl.scissor(px, py, 1, 1);
      gl.disable(gl.BLEND);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.useProgram(this.solid.program);
      this.solids(mode, clip);
      const bytes = new Uint8Array(4);
      gl.readPixels(px, py, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      gl.disable(gl.SCISSOR_TEST);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      return bytes;
    };
    const number = read(NUMBER);
    const body = (number[0] | number[1] << 8 | number[2] << 16) - 1;
    if (body < 0) return null;
    const digits = read(WHERE);
    const depth = (digits[0] + (digits[1] + digits[2] / 255) / 255) / 255;
    // Undo the projection: depth to distance along the view.
    const near = camera.distance * 0.02;
    const far = camera.distance + 40 * camera.size;
    const forward = 2 * near * far / (far + near - (2 * depth - 1) * (far - near));
    const ray = camera.ray(2 * x / canvas.clientWidth - 1, 1 - 2 * y / canvas.clientHeight, canvas.width / canvas.height);
    return { body, forward, point: add(ray.from, scaled(ray.direction, forward)) };
  }

  // Share of the window that shows something other than the sky, for tests.
  coverage() {
    const { gl, canvas } = this;
    const bytes = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    let covered = 0;
    for (let i = 0; i < bytes.length; i += 4) {
      if (Math.abs(bytes[i] - 217) + Math.abs(bytes[i + 1] - 222) + Math.abs(bytes[i + 2] - 227) > 12) covered++;
    }
    return covered / (canvas.width * canvas.height);
  }
}

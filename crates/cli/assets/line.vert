// A line or a dot of a width in pixels, as a strip of two triangles.
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
layout(location = 3) in vec4 colour;
layout(location = 4) in float width;
uniform mat4 clip;
uniform vec2 pixels;
out vec4 tint;
out vec2 spot;
void main() {
  vec4 a = clip * vec4(from, 1.0);
  vec4 b = clip * vec4(to, 1.0);
  // What lies behind the eye is cut off before the division.
  float nearest = 0.0001;
  if (a.w < nearest && b.w < nearest) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (a.w < nearest) a = mix(a, b, (nearest - a.w) / (b.w - a.w));
  if (b.w < nearest) b = mix(b, a, (nearest - b.w) / (a.w - b.w));
  vec2 step = (b.xy / b.w - a.xy / a.w) * pixels;
  bool isDot = from == to;
  vec2 along = isDot || length(step) < 0.01 ? vec2(1.0, 0.0) : normalize(step);
  vec2 across = vec2(-along.y, along.x);
  vec4 end = corner.x < 0.5 ? a : b;
  vec2 offset = across * (corner.y - 0.5) * width;
  if (isDot) offset += along * (corner.x - 0.5) * width;
  end.xy += offset * 2.0 / pixels * end.w;
  end.z -= 0.0004 * end.w;
  gl_Position = end;
  tint = colour;
  spot = isDot ? corner * 2.0 - 1.0 : vec2(0.0);
}

in vec3 at;
in vec3 normal;
in vec3 inside;
in vec4 tint;
flat in float label;
uniform int mode;
uniform float isRound;
uniform float chosen;
uniform vec3 eye;
uniform vec3 back;
uniform float cut;
uniform float edgeScale;
out vec4 result;
void main() {
  if (mode == 1) { result = vec4(0.0); return; }
  // What stands still between the eye and what moves is cut away, floors apart.
  bool isWall = fract(label) > 0.25;
  if (isWall && dot(at, back) > cut && abs(normalize(normal).y) < 0.7) {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    if (mode != 4 && (mode > 1 || (pixel.x + pixel.y) % 4 != 0)) discard;
  }
  if (mode == 2) {
    // The body's number, for a click.
    int n = int(label) + 1;
    result = vec4(float(n & 255), float(n >> 8 & 255), float(n >> 16 & 255), 255.0) / 255.0;
    return;
  }
  if (mode == 3) {
    // The depth in three bytes, for where a click hits.
    vec3 digits = fract(gl_FragCoord.z * vec3(1.0, 255.0, 65025.0));
    result = vec4(digits - digits.yzz * vec3(1.0 / 255.0, 1.0 / 255.0, 0.0), 1.0);
    return;
  }
  bool isChosen = floor(label) == chosen;
  if (mode == 4) {
    // Edges fade before a body is so small in the picture that they would be noise.
    float pixels = tint.a * tint.a * edgeScale / max(distance(eye, at), 0.0001);
    float fade = clamp((pixels - 3.0) * 0.1, 0.0, 1.0);
    result = vec4(isChosen ? vec3(1.0, 0.8, 0.1) : tint.rgb * 0.35, isChosen ? 1.0 : 0.55 * fade);
    return;
  }
  vec3 paint = tint.rgb;
  // Two tones on what is round, so that it can be seen to turn.
  if (isRound > 0.5 && inside.x * inside.z > 0.0) paint *= 0.82;
  if (isChosen) paint = mix(paint, vec3(1.0, 0.85, 0.3), 0.55);
  vec3 n = normalize(normal);
  result = vec4(paint * lit(at, n), 1.0);
}

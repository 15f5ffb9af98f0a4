// Sun with a shadow map, and a sky that is brighter above than below.
const vec3 SKY = vec3(0.851, 0.871, 0.890);
uniform highp sampler2DShadow shadow;
uniform mat4 sunClip;
uniform vec3 sun;
uniform float shadowTexel;
uniform float hasShadow;
float sunshine(vec3 where, vec3 n) {
  if (hasShadow < 0.5) return 1.0;
  // A step along the normal keeps a lit face from shadowing itself.
  vec4 p = sunClip * vec4(where + n * shadowTexel * 2.0, 1.0);
  vec3 s = p.xyz * 0.5 + 0.5;
  if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
  // One look: the card compares four texels and blends them.
  return texture(shadow, vec3(s.xy, s.z - 0.0004));
}
vec3 lit(vec3 where, vec3 n) {
  float direct = max(dot(n, sun), 0.0) * sunshine(where, n);
  vec3 ambient = mix(vec3(0.44, 0.43, 0.43), vec3(0.60, 0.63, 0.67), 0.5 + 0.5 * n.y);
  return ambient + vec3(0.54, 0.51, 0.46) * direct;
}

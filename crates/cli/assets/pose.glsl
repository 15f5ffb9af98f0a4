// What every instance of a mesh has: where it is, how it is turned, how large it is.
layout(location = 0) in vec4 corner;
layout(location = 1) in vec3 facing;
layout(location = 2) in vec3 place;
layout(location = 3) in vec4 turn;
layout(location = 4) in vec4 size;
layout(location = 5) in vec4 colour;
layout(location = 6) in float number;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
// Corners scale with the size; a capsule's caps also move apart by the fourth number.
vec3 inBody() { return corner.xyz * size.xyz + vec3(0.0, corner.w * size.w, 0.0); }

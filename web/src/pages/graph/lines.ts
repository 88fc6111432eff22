// Draws the relations of a near view with WebGL: rectangles as thick as the relation, whose dashes tell its side.
import { EdgeProgram, type ProgramInfo } from "sigma/rendering";
import type { EdgeDisplayData, NodeDisplayData, RenderParams } from "sigma/types";
import { floatColor } from "sigma/utils";

const UNIFORMS = ["u_matrix", "u_sizeRatio", "u_minEdgeThickness", "u_across"] as const;

const VERTEX = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec2 a_start;
attribute vec2 a_end;
attribute float a_thickness;
attribute vec2 a_dash;
attribute float a_along;
attribute float a_side;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_minEdgeThickness;
uniform vec2 u_across;
varying vec4 v_color;
varying float v_at;
varying vec2 v_dash;
varying float v_side;
varying float v_half;
const float bias = 255.0 / 254.0;
void main() {
  vec2 start = (u_matrix * vec3(a_start, 1)).xy * u_across;
  vec2 end = (u_matrix * vec3(a_end, 1)).xy * u_across;
  vec2 way = end - start;
  float far = length(way);
  vec2 along = far > 0.0 ? way / far : vec2(1.0, 0.0);
  float half_width = max(a_thickness / u_sizeRatio, u_minEdgeThickness) * 0.5 + 0.5;
  vec2 at = mix(start, end, a_along) + vec2(-along.y, along.x) * half_width * a_side;
  gl_Position = vec4(at / u_across, 0, 1);
  v_at = far * a_along;
  v_dash = a_dash;
  v_side = a_side * half_width;
  v_half = half_width;
  #ifdef PICKING_MODE
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_color.a *= bias;
}`;

const FRAGMENT = `
precision mediump float;
varying vec4 v_color;
varying float v_at;
varying vec2 v_dash;
varying float v_side;
varying float v_half;
void main() {
  if (v_dash.y > 0.0 && mod(v_at, v_dash.x + v_dash.y) > v_dash.x) discard;
  gl_FragColor = v_color * (1.0 - smoothstep(v_half - 1.0, v_half, abs(v_side)));
}`;

export interface LineData extends EdgeDisplayData {
  /** Pixels drawn and pixels left out, in turn; none are left out of a solid line. */
  dash: readonly [number, number];
}

export class LineProgram extends EdgeProgram<(typeof UNIFORMS)[number]> {
  getDefinition() {
    const { FLOAT, UNSIGNED_BYTE, TRIANGLES } = WebGLRenderingContext;
    return {
      VERTICES: 6,
      VERTEX_SHADER_SOURCE: VERTEX,
      FRAGMENT_SHADER_SOURCE: FRAGMENT,
      METHOD: TRIANGLES,
      UNIFORMS,
      ATTRIBUTES: [
        { name: "a_start", size: 2, type: FLOAT },
        { name: "a_end", size: 2, type: FLOAT },
        { name: "a_thickness", size: 1, type: FLOAT },
        { name: "a_dash", size: 2, type: FLOAT },
        { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: "a_id", size: 4, type: UNSIGNED_BYTE, normalized: true },
      ],
      CONSTANT_ATTRIBUTES: [
        { name: "a_along", size: 1, type: FLOAT },
        { name: "a_side", size: 1, type: FLOAT },
      ],
      CONSTANT_DATA: [[0, 1], [0, -1], [1, 1], [1, 1], [0, -1], [1, -1]],
    };
  }

  processVisibleItem(index: number, at: number, source: NodeDisplayData, target: NodeDisplayData, data: LineData): void {
    this.array.set([source.x, source.y, target.x, target.y, data.size, data.dash[0], data.dash[1], floatColor(data.color), index], at);
  }

  setUniforms(params: RenderParams, { gl, uniformLocations }: ProgramInfo): void {
    gl.uniformMatrix3fv(uniformLocations["u_matrix"]!, false, params.matrix);
    gl.uniform1f(uniformLocations["u_sizeRatio"]!, params.sizeRatio);
    gl.uniform1f(uniformLocations["u_minEdgeThickness"]!, params.minEdgeThickness);
    // From -1…1 to pixels of the page, so that dashes are as long everywhere.
    gl.uniform2f(uniformLocations["u_across"]!, params.width / 2, params.height / 2);
  }
}

// @ts-check
/** Heatmaps of arrays: which parts the view has. */

import { makeHeatPart } from "./heatgroup.js";
import { makeHeatSettingsPart } from "./heatsettings.js";
import { makeProblemPart } from "./problem.js";
import { makeSincePart } from "./since.js";
import { makeWidget } from "./view.js";

export default () => makeWidget([makeHeatSettingsPart, makeProblemPart, makeSincePart, makeHeatPart]);

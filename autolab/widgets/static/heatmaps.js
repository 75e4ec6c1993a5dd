// @ts-check
/** Heatmaps of arrays: which parts the view has. */

import { makeAsking } from "./asking.js";
import { makeBrain } from "./brain.js";
import { HEAT, heatActs, heatQuestion, makeHeatPart } from "./heatgroup.js";
import { makeHeatSettingsPart } from "./heatsettings.js";
import { makeProblemPart } from "./problem.js";
import { makeSincePart } from "./since.js";
import { makeWidget } from "./view.js";

export default () => makeWidget([makeHeatSettingsPart, makeProblemPart, makeSincePart, makeHeatPart], makeBrain(makeAsking(HEAT, (look) => ({ picture: heatQuestion(look) }), heatActs)));

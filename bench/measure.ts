import { loadScenarios } from './scenarios.ts';

/** Measures one scenario and sends its figures to the parent process (bench/run.ts). */
const [name] = process.argv.slice(2);
const scenario = (await loadScenarios()).find((each) => each.name === name);
if (!scenario || !process.send) throw new Error('bench/run.ts starts this file with the name of a scenario.');
const figures = await scenario.measure();
process.send(figures, () => process.exit(0));

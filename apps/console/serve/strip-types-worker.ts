import { stripTypeScriptTypes } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const sources = workerData as readonly string[];

parentPort?.postMessage(sources.map((source) => stripTypeScriptTypes(source)));

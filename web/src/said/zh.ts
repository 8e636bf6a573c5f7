import parts from "./parts.zh.json";
import { Phrasebook } from "./phrasebook";
import sentences from "./sentences.zh.json";

/**
 * The Chinese phrasebook. sentences.zh.json has what our programs say, form for form; parts.zh.json what stands
 * within those sentences, what is put together of several, and what the HTTP library says of a request.
 */
export const book = new Phrasebook(sentences, parts);

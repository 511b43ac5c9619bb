import { bundlePart } from './bundle/bundle-part.ts'
import { filesPart } from './files/files-part.ts'
import { metadataPart } from './metadata/metadata-part.ts'
import { outputsPart } from './outputs/outputs-part.ts'
import type { LeftPart, RunPart } from './run-part.ts'
import { secretsPart } from './secrets/secrets-part.ts'
import { sessionPart } from './session/session-part.ts'

/**
 * All that a run carries beside its input, in the order in which it is locked, prepared and unpacked. Secrets come first: they are
 * pinned while the rest is prepared. Files come before the session, which other runs may wait for.
 */
export const runParts = [secretsPart, outputsPart, bundlePart, filesPart, sessionPart, metadataPart] as const

type Parts = typeof runParts
export type Part = Parts[number]
/** Results that a run left of its parts. */
export type LeftParts = ReadonlyMap<Part, LeftPart>

type Joined<List, Of extends 'row' | 'tools' | 'shown'> = List extends readonly [infer Part, ...infer Rest]
  ? TypesOf<Part>[Of] & Joined<Rest, Of>
  : object

type TypesOf<Part> =
  Part extends RunPart<infer Row, infer Tools, infer Shown> ? { row: Row; tools: Tools; shown: Shown } : never

/** The columns of all parts. */
export type PartRows = Joined<Parts, 'row'>
/** The tools that a worker needs for all parts. */
export type PartTools = Joined<Parts, 'tools'>
/** The fields of all parts in a rendered run. */
export type ShownParts = Joined<Parts, 'shown'>

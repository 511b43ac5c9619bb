import { type Static, Type } from 'typebox'
import { about, withExample } from '../../about.ts'
import { exampleDigest } from '../../digest.ts'
import { ArtifactId, InputFileId, RunId, SessionId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import {
  artifactPathMaxBytes,
  metadataEntriesMax,
  metadataFiltersMax,
  metadataKeyMaxLength,
  metadataValueMaxLength,
  runFilesMax,
} from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, Nullable, PlainText, Strict } from '../../schema.ts'
import { RunSessionRequest } from '../sessions/session.ts'
import { InputFileName } from './input-file.ts'
import { ManualRunSubmitRequest, RunDetail } from './run.ts'

/**
 * A file that a run takes; the sandbox has it as `/workspace/inputs/<name>`. Either an uploaded file of the room by
 * `file_id`, or an artifact of another run that the caller may read by `run_id` and `artifact`.
 */
export const RunFileRequest = Strict({
  name: about('Name of the file in the sandbox, below `/workspace/inputs`.', InputFileName, 'sales.csv'),
  file_id: about('An uploaded file of the room.', Type.Optional(InputFileId)),
  run_id: about('Another run, of which the file is an artifact.', Type.Optional(RunId)),
  artifact: about(
    'Path or identifier of an artifact of `run_id`.',
    Type.Optional(PlainText({ minLength: 1, maxLength: artifactPathMaxBytes })),
    'report/total.csv',
  ),
})
export type RunFileRequest = Static<typeof RunFileRequest>

const keyText = `[A-Za-z0-9][A-Za-z0-9_.-]{0,${metadataKeyMaxLength - 1}}`
export const metadataKeyPattern = `^${keyText}$`

/**
 * Texts of the caller about a run, which the platform does not read. Keys match `metadataKeyPattern`. `external_user` is
 * the person of another platform for whom the run is.
 */
export const RunMetadata = withExample(
  Type.Record(Type.String(), PlainText({ minLength: 1, maxLength: metadataValueMaxLength }), {
    maxProperties: metadataEntriesMax,
  }),
  { external_user: 'line:U4af49', order: '7731' },
)
export type RunMetadata = Static<typeof RunMetadata>

export const metadataFilterPattern = `^${keyText}=[^\\u0000]+$`
/** `key=value`. */
const MetadataFilter = Type.String({
  maxLength: metadataKeyMaxLength + 1 + metadataValueMaxLength,
  pattern: metadataFilterPattern,
})
/** Filters of a list, all of which match. */
export const MetadataFilters = Type.Array(MetadataFilter, { maxItems: metadataFiltersMax })

export const ExtendedSubmitRequest = Strict({
  ...ManualRunSubmitRequest.properties,
  files: about(
    'Files for the run beside its input, at most 256 MiB together.',
    Type.Optional(Type.Array(RunFileRequest, { maxItems: runFilesMax })),
    [{ name: 'sales.csv', file_id: exampleId('inputFile') }],
  ),
  session: about(
    'A session of the caller in the room: its files are in `/workspace/session`, and what a job that ends by itself leaves there is kept.',
    Type.Optional(RunSessionRequest),
  ),
  metadata: about(
    'Texts about the run, which the service stores and does not read. `external_user` is the person of another platform for whom the run is.',
    Type.Optional(RunMetadata),
  ),
})
export type ExtendedSubmitRequest = Static<typeof ExtendedSubmitRequest>

/** A file that a run took. Either `file_id`, or `run_id` and `artifact_id`, say where it came from. */
export const RunFile = Type.Object({
  name: about('Name of the file in the sandbox, below `/workspace/inputs`.', Type.String(), 'sales.csv'),
  byte_size: about('Size in bytes.', Count, 48_213),
  digest: about('Digest of the bytes.', Type.String(), exampleDigest),
  file_id: about('The uploaded file; null for an artifact.', Nullable(InputFileId)),
  run_id: about('The run that left the artifact; null for an uploaded file.', Nullable(RunId), null),
  artifact_id: about('The artifact; null for an uploaded file.', Nullable(ArtifactId), null),
})
export type RunFile = Static<typeof RunFile>

/** A run with its files and metadata, which are kept as long as its input. */
export const ExtendedRun = Type.Object({
  ...RunDetail.properties,
  files: about('The files that the run was given.', Type.Array(RunFile, { maxItems: runFilesMax })),
  metadata: about('Texts of the submitter about the run.', RunMetadata),
  session_id: about('The session that the run was given; null for none.', Nullable(SessionId), null),
})
export type ExtendedRun = Static<typeof ExtendedRun>

export const ExtendedRunList = listOf(ExtendedRun)
export type ExtendedRunList = Static<typeof ExtendedRunList>

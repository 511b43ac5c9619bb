import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Runner } from '../../../agent/port/platform.ts'
import { canonicalDigest } from '../../base/json/canonical-json.ts'
import { hexOf, installedDigest, type Layers } from '../image-documents.ts'

/*
 * The platform's statement about an image: an in-toto Statement, version 1, with SLSA provenance, version 1. The
 * fields that SLSA leaves to the build type are described in docs/provenance.md.
 */

const statementTypeUri = 'https://in-toto.io/Statement/v1'
export const predicateType = 'https://slsa.dev/provenance/v1'
const buildType = 'urn:sandbox-jobs:build:dockerfile:v1'

const Sha256 = Type.Object(
  { sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) },
  { additionalProperties: false },
)
const Resource = Type.Object({ name: Type.String(), digest: Sha256 }, { additionalProperties: false })

/** The fields that verification relies on. Other fields are allowed, for people. */
const Statement = Type.Object({
  _type: Type.Literal(statementTypeUri),
  subject: Type.Tuple([Resource]),
  predicateType: Type.Literal(predicateType),
  predicate: Type.Object({
    buildDefinition: Type.Object({
      buildType: Type.Literal(buildType),
      externalParameters: Type.Object({
        company_id: Type.String(),
        environment_id: Type.String(),
        environment_version_id: Type.String(),
        build_profile: Type.String(),
        resource_profile: Type.String(),
      }),
      internalParameters: Type.Object({
        build_region: Type.String(),
        runner_release: Type.String(),
        runner_abi_revision: Type.String(),
        policy_revision: Type.String(),
        composed_execution_digest: Type.String(),
        /** Set if no builder ran: the attempt that made the image from the same inputs. */
        reused_attempt_id: Type.Optional(Type.String()),
        /** Set if steps had a network: what they reached. */
        network: Type.Optional(BuildNetwork),
      }),
      resolvedDependencies: Type.Array(Resource),
    }),
    runDetails: Type.Object({
      builder: Type.Object({ id: Type.String(), version: Type.Record(Type.String(), Type.String()) }),
      metadata: Type.Object({
        invocationId: Type.String(),
        startedOn: Type.String(),
        finishedOn: Type.String(),
      }),
      byproducts: Type.Array(Resource),
    }),
  }),
})
export type Statement = Static<typeof Statement>

/** A name with a digest, `sha256:` and hex. */
export interface NamedDigest {
  name: string
  digest: string
}

export interface Provenance {
  /** The image, with the digest of its manifest. */
  subject: NamedDigest
  parameters: Statement['predicate']['buildDefinition']['externalParameters']
  platform: Statement['predicate']['buildDefinition']['internalParameters']
  /** The archive, its canonical content, the base images, cached stages, and the statement of a reused image. */
  materials: NamedDigest[]
  byproducts: NamedDigest[]
  builder: { id: string; version: Record<string, string> }
  attemptId: string
  startedAt: Date
  finishedAt: Date
}

export function statementOf(provenance: Provenance): Statement {
  const { subject, parameters, platform, materials, byproducts, builder } = provenance
  return {
    _type: statementTypeUri,
    subject: [resource(subject)],
    predicateType,
    predicate: {
      buildDefinition: {
        buildType,
        externalParameters: parameters,
        internalParameters: platform,
        resolvedDependencies: materials.map(resource),
      },
      runDetails: {
        builder,
        metadata: {
          invocationId: provenance.attemptId,
          startedOn: provenance.startedAt.toISOString(),
          finishedOn: provenance.finishedAt.toISOString(),
        },
        byproducts: byproducts.map(resource),
      },
    },
  }
}

const resource = ({ name, digest }: NamedDigest) => ({ name, digest: { sha256: hexOf(digest) } })

const bounds = { maxBytes: 1024 ** 2, maxDepth: 20, maxNodes: 10_000 }

/** Parses a statement of this build type; undefined for anything else. */
export function readStatement(bytes: Buffer): Statement | undefined {
  try {
    const value = parseStrictJson(bytes, bounds)
    return Check(Statement, value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The digest of what a job runs on: the image's layers, the runner's layer above it, and the runner's policy. */
export const composedDigest = (layers: Layers, runner: Runner): string =>
  canonicalDigest({
    layer: installedDigest(layers),
    runner: runner.layerDigest,
    abi_revision: runner.abiRevision,
    policy: runner.policyDigest,
  })

export const policyRevisionOf = (runner: Runner): string =>
  `policy-${hexOf(runner.policyDigest).slice(0, 16)}`

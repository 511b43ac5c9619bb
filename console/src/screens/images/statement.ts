import type { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import type { Envelope } from '@sandbox-jobs/contract/resources/builds/provenance.ts'

interface Resource {
  name: string
  digest: { sha256: string }
}

/** The parts of a statement that are shown; docs/provenance.md describes all. */
interface Written {
  subject: [Resource]
  predicate: {
    buildDefinition: {
      internalParameters: { runner_release: string; reused_attempt_id?: string; network?: BuildNetwork }
      resolvedDependencies: Resource[]
    }
    runDetails: {
      builder: { id: string; version: Record<string, string> }
      metadata: { invocationId: string; finishedOn: string }
    }
  }
}

export interface NamedDigest {
  name: string
  digest: string
}

/** The claims of the service about an image. */
export interface Statement {
  image: NamedDigest
  archive: string | undefined
  content: string | undefined
  /** Base images of the Dockerfile. */
  bases: NamedDigest[]
  /** Images and stages of earlier builds that it was made of. */
  earlier: NamedDigest[]
  builder: string
  tools: string
  runner: string
  attemptId: string
  finishedAt: string
  /** The build that made the image, if an equal one was reused. */
  reusedFrom: string | undefined
  network: BuildNetwork | undefined
}

const archiveName = 'context'
const contentName = 'context.canonical'
const ofEarlierBuilds = /^(base\.layer |stage\.\d+\.prefix |reused\.provenance$)/
/** The index that the name of a base image led to; the image itself is listed too. */
const ofIndexes = / index$/

/** Reads the statement in an envelope. The service has verified it before it sent it. */
export function statementIn({ payload }: Pick<Envelope, 'payload'>): Statement {
  const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
  const { subject, predicate } = JSON.parse(new TextDecoder().decode(bytes)) as Written
  const { buildDefinition, runDetails } = predicate
  const { internalParameters: platform } = buildDefinition
  const { builder, metadata } = runDetails
  const materials = buildDefinition.resolvedDependencies.map(named)
  const digestOf = (wanted: string) => materials.find(({ name }) => name === wanted)?.digest
  return {
    image: named(subject[0]),
    archive: digestOf(archiveName),
    content: digestOf(contentName),
    bases: materials.filter(({ name }) => isBase(name)),
    earlier: materials.filter(({ name }) => ofEarlierBuilds.test(name)),
    builder: builder.id,
    tools: Object.entries(builder.version)
      .map((tool) => tool.join(' '))
      .join(', '),
    runner: platform.runner_release,
    attemptId: metadata.invocationId,
    finishedAt: metadata.finishedOn,
    reusedFrom: platform.reused_attempt_id,
    network: platform.network,
  }
}

const named = ({ name, digest }: Resource): NamedDigest => ({ name, digest: `sha256:${digest.sha256}` })

const isBase = (name: string): boolean =>
  name !== archiveName && name !== contentName && !ofEarlierBuilds.test(name) && !ofIndexes.test(name)

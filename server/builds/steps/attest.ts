import { statementType } from '@sandbox-jobs/contract/resources/builds/provenance.ts'
import { releaseOf } from '../../environments/operator/runner-releases.ts'
import { type Attachment, annotations } from '../../images/image-documents.ts'
import { sealEnvelope } from '../../images/provenance/dsse.ts'
import {
  composedDigest,
  type NamedDigest,
  policyRevisionOf,
  predicateType,
  type Statement,
  statementOf,
} from '../../images/provenance/statement.ts'
import type { Build } from '../request/build.ts'
import type { Built } from './customer-build/built.ts'
import type { BasesPulled } from './customer-build/pull-base-images.ts'
import type { Signed } from './sign.ts'
import type { Started } from './smoke.ts'
import type { Scanned } from './static-scan.ts'
import type { Step } from './step.ts'
import type { Validated } from './validate-context.ts'

type Needs = Pick<Validated, 'canonicalDigest'> &
  BasesPulled &
  Built &
  Scanned &
  Pick<Started, 'runner'> &
  Pick<Signed, 'image'>

export interface Attested {
  provenance: Attachment
  /** Digest of the image's layers with the runner's layer above them. */
  composedDigest: string
}

/** Signs a statement of what the image was built from, by whom, when and how, and on which runner it runs. */
export const attest: Step<Needs, Attested> = {
  name: 'attest',
  stage: 'attest',
  async run(build, values) {
    const composed = composedDigest(values.layers, values.runner)
    const statement = statementAbout(build, values, composed)
    const envelope = sealEnvelope(statementType, Buffer.from(JSON.stringify(statement)), (bytes) =>
      build.tools.signing.sign(bytes),
    )
    const provenance: Attachment = {
      kind: 'provenance',
      bytes: Buffer.from(JSON.stringify(envelope)),
      annotations: { [annotations.predicateType]: predicateType },
    }
    return { provenance, composedDigest: composed }
  },
}

function statementAbout({ request, tools }: Build, values: Needs, composed: string): Statement {
  const { builderVersion, image, layers, reach, reused, runner, scan } = values
  return statementOf({
    subject: { name: request.versionId, digest: image.manifest.descriptor.digest },
    parameters: {
      company_id: request.companyId,
      environment_id: request.environmentId,
      environment_version_id: request.versionId,
      build_profile: request.buildProfile,
      resource_profile: request.resourceProfile,
    },
    platform: {
      build_region: request.buildRegion,
      runner_release: releaseOf(runner),
      runner_abi_revision: String(runner.abiRevision),
      policy_revision: policyRevisionOf(runner),
      composed_execution_digest: composed,
      ...(reused && { reused_attempt_id: reused.builtBy }),
      ...(reach && { network: reach }),
    },
    materials: materialsOf({ request }, values),
    byproducts: [
      ...layers.map(({ diffId }) => ({ name: 'layer', digest: diffId })),
      { name: 'sbom', digest: scan.sbomDigest },
    ],
    builder: {
      id: tools.builder.id,
      version: { 'sandbox-jobs': tools.builder.release, buildah: builderVersion },
    },
    attemptId: request.attemptId,
    startedAt: request.startedAt,
    finishedAt: tools.clock.now(),
  })
}

function materialsOf({ request: { context } }: Pick<Build, 'request'>, values: Needs): NamedDigest[] {
  const { baseImages, baseLayer, cachedStages, canonicalDigest, pulled, reused } = values
  if (!context) throw new Error('a build without an archive came this far')
  return [
    { name: 'context', digest: context.digest },
    { name: 'context.canonical', digest: canonicalDigest },
    ...baseImages,
    ...pulled.flatMap(({ name, index }) => (index ? [{ name: `${name} index`, digest: index.digest }] : [])),
    ...cachedStages.map(({ stage, attemptId, manifestDigest }) => ({
      name: `stage.${stage + 1}.prefix ${attemptId}`,
      digest: manifestDigest,
    })),
    ...(baseLayer ? [{ name: `base.layer ${baseLayer.attemptId}`, digest: baseLayer.diffId }] : []),
    ...(reused ? [{ name: 'reused.provenance', digest: reused.provenanceDigest }] : []),
  ]
}

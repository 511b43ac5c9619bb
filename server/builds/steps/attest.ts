import { statementType } from '@sandbox-jobs/contract/resources/provenance.ts'
import { releaseOf } from '../../environments/runner-releases.ts'
import { annotations } from '../image-documents.ts'
import { composedDigest, policyRevisionOf } from '../provenance/composition.ts'
import { sealEnvelope } from '../provenance/dsse.ts'
import { type NamedDigest, predicateType, statementOf } from '../provenance/statement.ts'
import { type Build, type BuildStep, found } from './step.ts'

/** States, under a signature, what the image was made of, by whom, when and how, and what it runs on. */
export const attest: BuildStep = {
  stage: 'attest',
  attemptStates: [],
  versionStates: [],
  async run(build: Build) {
    const { findings, order, tools } = build
    const layer = found(build, 'layer')
    const runner = found(build, 'runner')
    findings.composedDigest = composedDigest(layer, runner)
    const statement = statementOf({
      subject: { name: order.versionId, digest: found(build, 'image').manifest.descriptor.digest },
      parameters: {
        company_id: order.companyId,
        environment_id: order.environmentId,
        environment_version_id: order.versionId,
        build_profile: order.buildProfile,
        resource_profile: order.resourceProfile,
      },
      platform: {
        build_region: order.buildRegion,
        runner_release: releaseOf(runner),
        runner_abi_revision: String(runner.abiRevision),
        policy_revision: policyRevisionOf(runner),
        composed_execution_digest: findings.composedDigest,
        ...(findings.reused && { reused_attempt_id: findings.reused.builtBy }),
      },
      materials: materialsOf(build),
      byproducts: [
        { name: 'layer', digest: layer.diffId },
        { name: 'sbom', digest: found(build, 'scan').sbomDigest },
      ],
      builder: {
        id: tools.builder.id,
        version: { 'sandbox-jobs': tools.builder.release, buildah: found(build, 'builderVersion') },
      },
      attemptId: order.attemptId,
      startedAt: order.startedAt,
      finishedAt: tools.clock.now(),
    })
    const envelope = sealEnvelope(statementType, Buffer.from(JSON.stringify(statement)), (bytes) =>
      tools.signing.sign(bytes),
    )
    findings.provenance = {
      kind: 'provenance',
      bytes: Buffer.from(JSON.stringify(envelope)),
      annotations: { [annotations.predicateType]: predicateType },
    }
  },
}

function materialsOf(build: Build): NamedDigest[] {
  const { context } = build.order
  const { reused, pulled = [], prefixes = [] } = build.findings
  if (!context) throw new Error('a build without an archive came this far')
  return [
    { name: 'context', digest: context.digest },
    { name: 'context.canonical', digest: found(build, 'canonicalDigest') },
    ...found(build, 'baseImages'),
    ...pulled.flatMap(({ name, index }) => (index ? [{ name: `${name} index`, digest: index.digest }] : [])),
    ...prefixes.map(({ stage, attemptId, manifestDigest }) => ({
      name: `stage.${stage + 1}.prefix ${attemptId}`,
      digest: manifestDigest,
    })),
    ...(reused ? [{ name: 'reused.provenance', digest: reused.provenanceDigest }] : []),
  ]
}

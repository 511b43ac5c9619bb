import { digestPattern } from '@sandbox-jobs/contract/digest.ts'
import { Type } from 'typebox'
import { artifactTypes, maxLayers, mediaTypes } from '../image-documents.ts'

/*
 * Strict schemas of the documents that this service writes into a layout (OCI image format, version 1.1). A document with
 * another field or type was not written by this service, and is refused.
 */

const strict = { additionalProperties: false }
const described = <const M extends string>(mediaType: M) => ({
  mediaType: Type.Literal(mediaType),
  digest: Type.String({ pattern: digestPattern }),
  size: Type.Integer({ minimum: 0 }),
})
const descriptor = <const M extends string>(mediaType: M) => Type.Object(described(mediaType), strict)
const attached = <const A extends string>(artifactType: A) =>
  Type.Object({ ...described(mediaTypes.manifest), artifactType: Type.Literal(artifactType) }, strict)
const manifestHead = { schemaVersion: Type.Literal(2), mediaType: Type.Literal(mediaTypes.manifest) }

const layerCount = { minItems: 1, maxItems: maxLayers }

export const LayoutFile = Type.Object({ imageLayoutVersion: Type.Literal('1.0.0') }, strict)

export const Index = Type.Object(
  {
    schemaVersion: Type.Literal(2),
    mediaType: Type.Literal(mediaTypes.index),
    manifests: Type.Tuple([
      descriptor(mediaTypes.manifest),
      attached(artifactTypes.signature),
      attached(artifactTypes.provenance),
    ]),
  },
  strict,
)

export const ImageManifest = Type.Object(
  {
    ...manifestHead,
    config: descriptor(mediaTypes.config),
    layers: Type.Array(descriptor(mediaTypes.layer), layerCount),
  },
  strict,
)

export const ImageConfiguration = Type.Object({
  config: Type.Object({ Env: Type.Array(Type.String()), User: Type.String() }),
  rootfs: Type.Object({ diff_ids: Type.Array(Type.String({ pattern: digestPattern }), layerCount) }),
})

export const AttachmentManifest = Type.Object(
  {
    ...manifestHead,
    artifactType: Type.String(),
    config: descriptor(mediaTypes.empty),
    layers: Type.Tuple([
      Type.Object(
        {
          ...described(''),
          mediaType: Type.String(),
          annotations: Type.Record(Type.String(), Type.String()),
        },
        strict,
      ),
    ]),
    subject: descriptor(mediaTypes.manifest),
  },
  strict,
)

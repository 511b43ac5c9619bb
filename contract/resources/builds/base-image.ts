import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest } from '../../digest.ts'
import { Count, DateTime, Nullable } from '../../schema.ts'

/** A base image that the operator made, as `FROM` names it (extension). */
export const BaseImage = Type.Object({
  name: about('Name for `FROM`.', Type.String(), 'curated/python:3.13'),
  tag: about('Its tag.', Type.String(), '3.13'),
  digest: about('Digest of its manifest.', Digest),
  preset: about(
    "The operator's preset that it was made from; null: from a list of packages.",
    Nullable(Type.String()),
    'python:3.13',
  ),
  debian: about('Code name of its Debian release; null if unknown.', Nullable(Type.String()), 'trixie'),
  languages: about(
    'Programming languages in it.',
    Type.Array(
      Type.Object({
        name: about('Name of the language.', Type.String(), 'python'),
        version: about('Version of its interpreter or compiler.', Type.String(), '3.13.5'),
      }),
    ),
  ),
  packages: about(
    'Debian packages that the operator asked for; they need others, which are not listed.',
    Type.Array(Type.String({ examples: ['python3-pip'] })),
    ['ca-certificates', 'python3', 'python3-pip'],
  ),
  byte_size: about('Bytes of its files; null if unknown.', Nullable(Count), 168_427_520),
  made_at: about('When it was made; null if unknown.', Nullable(DateTime)),
})
export type BaseImage = Static<typeof BaseImage>

export const BaseImageList = Type.Object({
  items: about('Base images of the operator, by name.', Type.Array(BaseImage)),
  registry: about(
    'Registry of base images without a host in their name; null: such names are refused.',
    Nullable(Type.String()),
    'registry.example.org/mirror',
  ),
  other_registries: about(
    'Whether base images with another host in their name are pulled from it.',
    Type.Boolean(),
    true,
  ),
})
export type BaseImageList = Static<typeof BaseImageList>

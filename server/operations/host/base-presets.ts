import type { DebianSuite } from './debian-mirrors.ts'

/** A tested list of Debian packages for a base image. */
interface BasePreset {
  /** The name for `FROM`. */
  name: string
  suite: DebianSuite
  packages: string[]
}

const preset = (name: string, ...packages: string[]): BasePreset => ({
  name: `curated/${name}`,
  suite: 'bookworm',
  packages: ['ca-certificates', ...packages],
})

/** Base images for a machine without a registry, with the tools that install packages in a Dockerfile. */
const basePresets = {
  python: preset('python:3.11-bookworm', 'python3', 'python3-pip', 'python3-venv'),
  shell: preset('shell:bookworm', 'apt', 'bash', 'curl', 'jq'),
} as const

type PresetName = keyof typeof basePresets
export const presetNames = Object.keys(basePresets) as PresetName[]

/** The preset of that name. Throws for a name that is not in `presetNames`. */
export function basePreset(name: string): BasePreset {
  const found = presetNames.find((known) => known === name)
  if (!found) throw new Error(`there is no preset ${name}`)
  return basePresets[found]
}

import type { BaseImageRecipe } from './base-images.ts'
import type { DebianSuite } from './debian.ts'

/*
 * Base images for a machine without a registry: tested lists of Debian packages, with the tools that install packages in a
 * Dockerfile. `npm run presets` makes each and runs a job of its language in it.
 */

interface Preset {
  /** The tag of the image, by the Debian release. */
  tags: Record<DebianSuite, string>
  /** Packages, or packages by release. */
  packages: string[] | Record<DebianSuite, string[]>
  /** The user that the hub's image of the same name has. */
  user?: string
}

/** `preset` is the name with its version. */
export type PresetRecipe = BaseImageRecipe & { preset: string }

/**
 * In every preset, as in the hub's Debian images: without certificates no package server can be verified, without time zones
 * `TZ` means UTC without a word, and Dockerfiles begin with `useradd`.
 */
const common = ['apt', 'ca-certificates', 'passwd', 'procps', 'tzdata']

const presets = {
  python: {
    tags: { bookworm: '3.11', trixie: '3.13' },
    packages: ['python3', 'python3-pip', 'python3-venv', 'python-is-python3'],
  },
  node: { tags: { bookworm: '18', trixie: '20' }, packages: ['nodejs', 'npm'], user: 'node' },
  java: {
    tags: { bookworm: '17', trixie: '21' },
    packages: {
      bookworm: ['openjdk-17-jdk-headless', 'maven'],
      trixie: ['openjdk-21-jdk-headless', 'maven'],
    },
  },
  r: { tags: { bookworm: '4.2', trixie: '4.5' }, packages: ['r-base-core', 'r-cran-jsonlite'] },
  go: { tags: { bookworm: '1.19', trixie: '1.24' }, packages: ['golang-go', 'git'] },
  shell: { tags: { bookworm: 'bookworm', trixie: 'trixie' }, packages: ['bash', 'curl', 'jq'] },
  fonts: {
    tags: { bookworm: 'bookworm', trixie: 'trixie' },
    packages: [
      'fontconfig',
      'fonts-dejavu-core',
      'fonts-liberation',
      'fonts-noto-cjk',
      'fonts-noto-color-emoji',
    ],
  },
} as const satisfies Record<string, Preset>

type Language = keyof typeof presets
const languages = Object.keys(presets) as Language[]

/** The release of a preset without a version. */
const newest: DebianSuite = 'trixie'
const suites: DebianSuite[] = ['trixie', 'bookworm']

const nameOf = (language: Language, suite: DebianSuite) => `${language}:${presets[language].tags[suite]}`

const recipeOf = (language: Language, suite: DebianSuite): PresetRecipe => {
  const { packages, user }: Preset = presets[language]
  const own = Array.isArray(packages) ? packages : packages[suite]
  return {
    name: `curated/${nameOf(language, suite)}`,
    suite,
    packages: [...common, ...own],
    preset: nameOf(language, suite),
    ...(user !== undefined && { user }),
  }
}

/** By the names that an operator may give: `python` is the newest, `python:3.11` that version. */
const recipes = new Map<string, PresetRecipe>(
  languages.flatMap((language) => [
    [language, recipeOf(language, newest)],
    ...suites.map((suite) => [nameOf(language, suite), recipeOf(language, suite)] as const),
  ]),
)

export const presetNames = [...recipes.keys()]

/** Each preset once, with its version. */
export const versionedRecipes = languages.flatMap((language) =>
  suites.map((suite) => recipeOf(language, suite)),
)

/** The preset of that name. Throws for a name that is not in `presetNames`. */
export function basePreset(name: string): PresetRecipe {
  const found = recipes.get(name)
  if (!found) throw new Error(`there is no preset ${name}`)
  return found
}

import type { MirrorKind, PackageMirror } from '../../../agent/port/package-mirror.ts'

/** Where steps find the files below: part of the build sandbox's /dev, which no image has. */
export const mirrorFolder = '/dev/packages'

/** How the tools of build steps are set to use mirrors: by variables, and by files that the variables name. */
export interface MirrorSettings {
  /** Default values of variables; an `ENV` or `ARG` of the author has priority. */
  variables: Record<string, string>
  /** By their paths below `mirrorFolder`. */
  files: Record<string, string>
}

type SettingsOf = (url: string, host: string) => MirrorSettings

const variables = (found: Record<string, string>): MirrorSettings => ({ variables: found, files: {} })

/** The usual settings of the tools of each kind. */
const settingsOfKinds: Record<MirrorKind, SettingsOf> = {
  pypi: (url, host) =>
    variables({
      PIP_INDEX_URL: url,
      PIP_TRUSTED_HOST: host,
      UV_DEFAULT_INDEX: url,
      UV_INSECURE_HOST: host,
    }),
  npm: (url) =>
    variables({
      npm_config_registry: url,
      YARN_NPM_REGISTRY_SERVER: url,
      YARN_UNSAFE_HTTP_WHITELIST: new URL(url).hostname,
      COREPACK_NPM_REGISTRY: url,
    }),
  // The proxy stands for every archive, so that the sources of the image stay as they are.
  apt: (url) => ({
    variables: { APT_CONFIG: `${mirrorFolder}/apt.conf` },
    files: { 'apt.conf': `Acquire::http::Proxy "${new URL(url).origin}/";\n` },
  }),
  go: (url) => variables({ GOPROXY: url }),
  // Cargo has no variable that replaces its default registry: authors name the file.
  cargo: (url) => ({
    variables: { CARGO_REGISTRIES_MIRROR_INDEX: `sparse+${url}/`, CARGO_REGISTRY_DEFAULT: 'mirror' },
    files: {
      'cargo.toml': `[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+${url}/"\n`,
    },
  }),
  maven: (url) => ({
    variables: { MAVEN_OPTS: `-Dmaven.conf=${mirrorFolder}/maven` },
    files: {
      'maven/settings.xml': `<settings><mirrors><mirror><id>mirror</id><mirrorOf>*</mirrorOf><url>${escaped(url)}</url></mirror></mirrors></settings>\n`,
    },
  }),
  cran: (url) => ({
    variables: { R_PROFILE: `${mirrorFolder}/Rprofile` },
    files: {
      Rprofile: `local({
  site <- file.path(R.home("etc"), "Rprofile.site")
  if (file.exists(site)) source(site)
  options(repos = c(CRAN = ${JSON.stringify(url)}))
})
`,
    },
  }),
  rubygems: (url) => ({
    variables: { GEMRC: `${mirrorFolder}/gemrc`, BUNDLE_MIRROR__ALL: url },
    files: { gemrc: `:sources:\n- ${url}/\n` },
  }),
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export function mirrorSettings(mirrors: readonly PackageMirror[]): MirrorSettings {
  const all = mirrors.map(({ kind, url }) => settingsOfKinds[kind](url, new URL(url).hostname))
  return {
    variables: Object.assign({}, ...all.map((one) => one.variables)),
    files: Object.assign({}, ...all.map((one) => one.files)),
  }
}

/** The declaration of the variables for each stage of a Dockerfile. Arguments are part of no image. */
export const argumentsOf = ({ variables }: MirrorSettings): string[] =>
  Object.entries(variables).map(([name, value]) => `${name}=${value}`)

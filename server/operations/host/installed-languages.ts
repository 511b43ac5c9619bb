/** A programming language in a root filesystem. */
export interface InstalledLanguage {
  name: string
  version: string
}

/** The package whose version is that of the interpreter or compiler. */
const languages: [string, RegExp][] = [
  ['python', /^python3$/],
  ['node', /^nodejs$/],
  ['java', /^openjdk-\d+-jre-headless$/],
  ['r', /^r-base-core$/],
  ['go', /^golang-\d+\.\d+-go$/],
  ['ruby', /^ruby\d+\.\d+$/],
  ['php', /^php\d+\.\d+-cli$/],
  ['perl', /^perl$/],
]

/** The languages in Debian's `status` file, which has a paragraph per package. */
export function languagesIn(status: string): InstalledLanguage[] {
  const installed = [
    ...status.matchAll(/^Package: (\S+)\nStatus: \S+ \S+ installed\n(?:.+\n)*?Version: (\S+)$/gm),
  ]
  return languages.flatMap(([name, pattern]) =>
    installed.flatMap(([, packageName = '', version = '']) =>
      pattern.test(packageName) ? [{ name, version: upstreamVersion(version) }] : [],
    ),
  )
}

/** Without Debian's epoch, its own revision, and what it notes about the sources. */
export const upstreamVersion = (version: string): string =>
  version
    .replace(/^\d+:/, '')
    .replace(/-[^-]+$/, '')
    .replace(/[+~](dfsg|ds|really|repack|deb).*$/, '')

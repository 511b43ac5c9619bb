import type { ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { type ImagePackage, inOrder } from '../../data/authoring/sbom.ts'

/** A package that differs between two images. A name may have several versions, for instance in two folders. */
export interface PackageChange {
  kind: string
  name: string
  /** Its versions; empty where the image does not have it. */
  before: string
  after: string
}

/** The packages that were added, removed, or have another version. */
export function packageChanges(
  before: readonly ImagePackage[],
  after: readonly ImagePackage[],
): PackageChange[] {
  const old = byName(before)
  const now = byName(after)
  const keys = [...new Set([...old.keys(), ...now.keys()])]
  return keys
    .flatMap((key) => {
      const { kind, name } = old.get(key) ?? now.get(key) ?? { kind: '', name: '' }
      const change = { kind, name, before: versionsOf(old, key), after: versionsOf(now, key) }
      return change.before === change.after ? [] : [change]
    })
    .toSorted(inOrder)
}

type Versions = Map<string, { kind: string; name: string; versions: Set<string> }>

function byName(packages: readonly ImagePackage[]): Versions {
  const found: Versions = new Map()
  for (const { kind, name, version } of packages) {
    const key = `${kind} ${name}`
    const same = found.get(key)
    if (same) same.versions.add(version)
    else found.set(key, { kind, name, versions: new Set([version]) })
  }
  return found
}

const versionsOf = (packages: Versions, key: string): string =>
  [...(packages.get(key)?.versions ?? [])].toSorted().join(', ')

export interface FindingChanges {
  added: ScanFinding[]
  gone: ScanFinding[]
}

/** The findings that only one of two images has. */
export function findingChanges(
  before: readonly ScanFinding[],
  after: readonly ScanFinding[],
): FindingChanges {
  const old = new Set(before.map(keyOf))
  const now = new Set(after.map(keyOf))
  return {
    added: after.filter((finding) => !old.has(keyOf(finding))),
    gone: before.filter((finding) => !now.has(keyOf(finding))),
  }
}

const keyOf = ({ kind, rule, subject }: ScanFinding): string => JSON.stringify([kind, rule, subject])

import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const copied = [
  'tools/release.sh',
  'tools/release',
  'install/say.sh',
  'server/db/first-schema.ts',
  'server/db/migrations',
  'server/db/schema',
  'tools/check-released.ts',
  'package-lock.json',
  ...['.', 'agent', 'cli', 'client', 'console', 'contract', 'kubernetes', 'reader', 'server'].map((folder) =>
    join(folder, 'package.json'),
  ),
]

let folder: string
let tree: string
let key: string
const run = (program: string, ...argv: string[]) => spawnSync(program, argv, { cwd: tree, encoding: 'utf8' })
const node = (...argv: string[]) => run(process.execPath, ...argv)
const release = (version: string, by = key, to = join(folder, 'out')) => {
  const { status, stderr } = run(join(tree, 'tools/release.sh'), version, by, to)
  return { status, stderr }
}
const git = (...argv: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...argv], { cwd: tree })
function commit(subject: string): void {
  git('add', '--all')
  git('commit', '--quiet', '--message', subject)
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-'))
  key = join(folder, 'key.pem')
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', key])
  chmodSync(key, 0o600)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A repository with the files that a release reads before it builds. */
function makeTree(): void {
  tree = mkdtempSync(join(folder, 'tree-'))
  for (const path of copied) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    cpSync(join(root, path), join(tree, path), { recursive: true })
  }
  // Stands for the installed packages: nothing of them is needed before the build.
  writeFileSync(join(tree, 'install/node-modules.sh'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(tree, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n- Runs are faster.\n')
  git('init', '--quiet')
  commit('Begin')
}

describe('a release is refused before anything is built', () => {
  beforeAll(() => {
    makeTree()
    node('tools/release/set-version.ts', '1.2.3')
    commit('Release 1.2.3')
    git('tag', 'v1.2.3')
    git('tag', 'v1.2.4')
  })
  test.each<[string, () => ReturnType<typeof release>, RegExp]>([
    ['without a key', () => release('1.2.3', join(folder, 'none.pem')), /none\.pem .*needs the private key/],
    [
      'with a key that others can read',
      () => {
        const open = join(folder, 'open.pem')
        cpSync(key, open)
        chmodSync(open, 0o644)
        return release('1.2.3', open)
      },
      /Other users can read/,
    ],
    [
      'with a key of another kind',
      () => {
        const rsa = join(folder, 'rsa.pem')
        run('openssl', 'genpkey', '-algorithm', 'RSA', '-out', rsa)
        chmodSync(rsa, 0o600)
        return release('1.2.3', rsa)
      },
      /not a private ed25519 key/,
    ],
    ['for a version of another form', () => release('1.2.3-rc1'), /MAJOR\.MINOR\.PATCH/],
    ['into a folder that exists', () => release('1.2.3', key, tree), /exists/],
    [
      'with changes that are not committed',
      () => {
        appendFileSync(join(tree, 'CHANGELOG.md'), 'more\n')
        const refused = release('1.2.3')
        git('checkout', '--quiet', '.')
        return refused
      },
      /Commit first/,
    ],
    ['of a commit that has no such tag', () => release('1.2.5'), /HEAD has no tag v1\.2\.5/],
    ['if files have another version', () => release('1.2.4'), /server\/package\.json/],
  ])('%s', (_case, refused, reason) => {
    const { status, stderr } = refused()
    expect(stderr).toMatch(reason)
    expect(status).toBe(2)
    expect(existsSync(join(folder, 'out'))).toBe(false)
  })
})

describe('from one release to the next', () => {
  beforeAll(makeTree)
  const changes = (version: string) => node('tools/release/changes.ts', version)

  test('a version is set in every manifest, in the lock file with the needs of workspaces, and in the changelog', () => {
    expect(changes('1.0.0').stderr).toContain('has no section "## 1.0.0"')
    node('tools/release/set-version.ts', '1.0.0')
    expect(node('tools/release/set-version.ts', '1.0.0', '--check')).toMatchObject({ status: 0, stdout: '' })
    const read = (path: string) => JSON.parse(readFileSync(join(tree, path), 'utf8'))
    expect(read('client/package.json').version).toBe('1.0.0')
    expect(read('package-lock.json').packages.server).toMatchObject({
      version: '1.0.0',
      dependencies: { '@sandbox-jobs/contract': '1.0.0' },
    })
    const changelog = readFileSync(join(tree, 'CHANGELOG.md'), 'utf8')
    expect(changelog).toContain('## Unreleased\n\n## 1.0.0\n\n- Runs are faster.')
    commit('Release 1.0.0')
  })

  test('the changes are the section of the changelog and the commits since the former release', () => {
    expect(changes('1.0.0').stdout).toBe('# Sandbox Jobs 1.0.0\n\n- Runs are faster.\n')
    git('tag', 'v1.0.0')
    node('tools/release/set-version.ts', '1.1.0')
    expect(changes('1.1.0').stderr).toContain('or an empty one')
    const changelog = join(tree, 'CHANGELOG.md')
    const text = readFileSync(changelog, 'utf8')
    writeFileSync(changelog, text.replace('## 1.1.0\n', '## 1.1.0\n\n- Builds are faster.\n'))
    commit('Release 1.1.0')
    expect(changes('1.1.0').stdout).toContain('v1.0.0 can be installed again on the same data.')
    writeFileSync(join(tree, 'server/db/migrations/0002-contract-less.ts'), '')
    commit('Drop the columns that nothing reads')
    expect(changes('1.1.0').stdout).toMatch(
      /^# Sandbox Jobs 1\.1\.0\n\n- Builds are faster\.\n\n### Migrations of the database\n\n- 0002-contract-less\n\nThe way back to v1\.0\.0 is a backup of it\.\n\n### Commits since v1\.0\.0\n\n- Drop the columns that nothing reads \(\w+\)\n- Release 1\.1\.0 \(\w+\)\n$/,
    )
  })
})

describe('the schema of a release', () => {
  const check = () => {
    const { status, stderr } = node('tools/check-released.ts')
    return { status, stderr }
  }
  const migration = (name: string, text: string) =>
    writeFileSync(join(tree, 'server/db/migrations', `${name}.ts`), text)
  beforeEach(makeTree)

  test('changes in place before the first one, and never after', () => {
    const schema = join(tree, 'server/db/schema/runs.sql')
    appendFileSync(schema, '-- changed\n')
    expect(check()).toEqual({ status: 0, stderr: '' })
    commit('Change')
    git('tag', 'v1.0.0')
    appendFileSync(schema, '-- again\n')
    expect(check()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/runs\.sql is of release v1\.0\.0/),
    })
    git('checkout', '--quiet', '.')
    migration('0002-expand-more', 'alter table runs add column more text')
    expect(check()).toEqual({ status: 0, stderr: '' })
    commit('Add a migration')
    git('tag', 'v1.1.0')
    rmSync(join(tree, 'server/db/migrations/0002-expand-more.ts'))
    expect(check()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/0002\S+ is of release v1\.1\.0/),
    })
  })

  test.each([
    ['0002-more', 'create table more ()', 'begins with 0002-expand- or 0002-contract-'],
    ['0003-expand-more', 'create table more ()', 'begins with 0002-'],
    ['0002-expand-more', 'alter table runs DROP  COLUMN id', 'a migration of its own, named contract'],
    ['0002-expand-more', 'alter table runs alter column id type int', 'named contract'],
  ])('is not followed by migration %s with "%s"', (name, text, reason) => {
    migration(name, text)
    expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) })
  })

  test('is followed by one that takes away, if it says so', () => {
    migration('0002-contract-less', 'alter table runs drop column id')
    expect(check()).toEqual({ status: 0, stderr: '' })
  })
})

describe('the signature', () => {
  let made: string
  const verify = () => {
    const { status, stderr } = run(join(import.meta.dirname, 'verify.sh'), made, '1.2.3', 'abc')
    return { status, stderr }
  }
  beforeEach(() => {
    made = mkdtempSync(join(folder, 'made-'))
    writeFileSync(join(made, 'a'), 'a')
    execFileSync(join(import.meta.dirname, 'sign.sh'), [made, key])
  })

  test('holds for the files that were signed, of which a release needs some', () => {
    expect(verify().stderr).toContain('sandbox-jobs_1.2.3_amd64.deb')
  })
  test.each<[string, () => void, string]>([
    [
      'a file that was changed',
      () => appendFileSync(join(made, 'a'), 'b'),
      'not those that SHA256SUMS names',
    ],
    ['a file that is missing', () => rmSync(join(made, 'a')), 'not those that SHA256SUMS names'],
    ['a file that was added', () => writeFileSync(join(made, 'b'), ''), 'the list in SHA256SUMS'],
    ['other checksums', () => appendFileSync(join(made, 'SHA256SUMS'), '\n'), 'was not signed'],
    [
      'the key of somebody else',
      () => {
        const other = join(folder, 'other.pem')
        run('openssl', 'genpkey', '-algorithm', 'ed25519', '-out', other)
        run('openssl', 'pkey', '-in', other, '-pubout', '-out', join(made, 'release-key.pem'))
      },
      'was not signed',
    ],
  ])('does not hold with %s', (_case, change, reason) => {
    change()
    const { status, stderr } = verify()
    expect(stderr).toContain(reason)
    expect(status).toBe(1)
  })
})

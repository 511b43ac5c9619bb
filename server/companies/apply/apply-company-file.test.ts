import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fixedPeppers } from '../../../testing/apps/fixed-keys.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { findKeyCredentials, findLogin } from '../../access/authentication/credential-store.ts'
import { hashApiKey } from '../../access/keys/api-key-secret.ts'
import { verifyPassword } from '../../access/login/passwords.ts'
import { YamlFileInvalid } from '../../base/yaml-file.ts'
import { applyCompanyFile } from './apply-company-file.ts'

const { db } = await createTestDatabase()
const now = new Date('2026-01-01T00:00:00Z')
const services = { db, clock: { now: () => now }, peppers: fixedPeppers(Buffer.alloc(32, 1)) }

const apply = (text: string, dryRun = false) => applyCompanyFile(services, text, { dryRun })
const lines = ({ changes }: Awaited<ReturnType<typeof apply>>) =>
  changes.map((change) => `${change.op} ${change.kind} ${change.name}: ${change.detail}`)
const problemsOf = (text: string): Promise<string[]> =>
  apply(text).then(
    () => [],
    (error: unknown) => {
      if (error instanceof YamlFileInvalid) return error.problems
      throw error
    },
  )
const idOf = async (name: string) =>
  (await db.selectFrom('companies').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id
const rowCount = async () => {
  const tables = ['companies', 'departments', 'chatrooms', 'users', 'chatroom_members', 'api_keys'] as const
  const counts = await Promise.all(
    tables.map((table) =>
      db
        .selectFrom(table)
        .select((count) => count.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    ),
  )
  return counts.map((row) => row.count)
}

/** A file with one company. `tail` is added to the list of users, after the administrator. */
const company = (name: string, tail = '', rest = '') => `
companies:
  - name: ${name}
    users:
      - { login: ${name}-admin, role: company_administrator }
${tail}
${rest}`

describe('applying a company file', () => {
  it('applies the example once and changes nothing the second time', async () => {
    const example = readFileSync(new URL('../../../examples/company.yaml', import.meta.url), 'utf8')
    const first = await apply(example)
    expect(lines(first)).toEqual([
      '+ company acme: ',
      '+ department sales: ',
      '+ room sales/daily-numbers: ',
      '+ room sales/key-accounts: ',
      '+ department support: ',
      '+ room support/front-desk: ',
      '+ user ada: company_administrator',
      '+ user dan: department_manager, manages sales',
      '+ user mia: member',
      '+ user sam: member',
      '+ member sales/daily-numbers: ada',
      '+ member sales/daily-numbers: dan',
      '+ member sales/daily-numbers: mia',
      '+ member sales/key-accounts: mia, room manager',
      '+ member sales/key-accounts: dan',
      '+ member support/front-desk: sam',
    ])
    expect(first.passwords.map(({ login }) => login)).toEqual(['ada', 'dan', 'mia', 'sam'])
    const [ada] = first.passwords
    const stored = await findLogin(db, 'ada')
    expect(await verifyPassword(ada?.password ?? '', stored?.password_hash)).toBe(true)
    const second = await apply(example)
    expect(second).toEqual({ changes: [], dryRun: false, passwords: [], apiKeys: [] })
  })

  it('plans without writing, and applies exactly what it planned', async () => {
    const before = await rowCount()
    const planned = await apply(company('planned'), true)
    expect(planned.passwords).toEqual([])
    expect(await rowCount()).toEqual(before)
    expect(lines(await apply(company('planned')))).toEqual(lines(planned))
  })

  it('sets the given password for a new user and keeps the password of an existing user', async () => {
    const file = (password: string) =>
      company('words', `      - { login: words-ada, role: member, password: ${password} }`)
    expect((await apply(file('the first password'))).passwords.map(({ login }) => login)).toEqual([
      'words-admin',
    ])
    expect(lines(await apply(file('another password')))).toEqual([])
    const stored = await findLogin(db, 'words-ada')
    expect(await verifyPassword('the first password', stored?.password_hash)).toBe(true)
  })

  it('changes roles, names and departments, and disables users that are not listed', async () => {
    const departments = '    departments: [{ name: one }, { name: two }]'
    const before = [
      '      - { login: moves-dan, name: Dan, role: department_manager, manages: [one] }',
      '      - { login: moves-mia, role: member }',
      '      - { login: moves-sam, role: member }',
    ].join('\n')
    await apply(company('moves', before, departments))
    const after = [
      '      - { login: moves-dan, name: Daniel, role: department_manager, manages: [two] }',
      '      - { login: moves-mia, role: company_manager }',
    ].join('\n')
    expect(lines(await apply(company('moves', after, departments)))).toEqual([
      '~ user moves-dan: name Dan to Daniel; manages two',
      '~ user moves-mia: role member to company_manager',
      '- user moves-sam: disabled',
    ])
    expect((await findLogin(db, 'moves-sam'))?.disabled_at).toEqual(now)
    expect(lines(await apply(company('moves', after, departments)))).toEqual([])
    expect(lines(await apply(company('moves', before, departments)))).toContain('~ user moves-sam: enabled')
  })

  it('removes unlisted members from a room, but only if the room has a member list', async () => {
    const people = '      - { login: rooms-mia, role: member }\n      - { login: rooms-sam, role: member }'
    const file = (room: string) =>
      company('rooms', people, `    departments: [{ name: one, rooms: [{ name: floor${room} }] }]`)
    await apply(file(', managers: [rooms-mia], members: [rooms-sam]'))
    expect(lines(await apply(file('')))).toEqual([])
    expect(lines(await apply(file(', members: [rooms-mia]')))).toEqual([
      '~ member one/floor: rooms-mia',
      '- member one/floor: rooms-sam',
    ])
    expect(lines(await apply(file(', members: []')))).toEqual(['- member one/floor: rooms-mia'])
  })

  it('adds, renames, moves and removes the clients of rooms whose list is given', async () => {
    const file = (floor: string, hall = '') =>
      company(
        'outside',
        '',
        `    departments: [{ name: one, rooms: [{ name: floor${floor} }, { name: hall${hall} }] }]`,
      )
    const lin = (name: string) => `{ channel: line, client_id: U1, name: ${name} }`
    await apply(file(`, clients: [${lin('Lin')}, { channel: whatsapp, client_id: '+49170' }]`))
    const same = file(`, clients: [${lin('Lin')}, { channel: whatsapp, client_id: '+49170' }]`)
    expect(lines(await apply(same))).toEqual([])
    expect(lines(await apply(file('')))).toEqual([])
    expect(lines(await apply(file(`, clients: [${lin('Lina')}]`)))).toEqual([
      '- client one/floor: whatsapp:+49170',
      '~ client one/floor: line:U1 renamed',
    ])
    expect(await problemsOf(file('', `, clients: [${lin('Lina')}]`))).toEqual([
      expect.stringContaining('"line:U1" is in the room "one/floor"'),
    ])
    const twice = file(`, clients: [${lin('Lina')}]`, `, clients: [${lin('Lina')}]`)
    expect(await problemsOf(twice)).toEqual([expect.stringContaining('"line:U1" comes twice')])
    const moved = file(', clients: []', `, clients: [${lin('Lina')}]`)
    expect(lines(await apply(moved))).toEqual(['- client one/floor: line:U1', '+ client one/hall: line:U1'])
    expect(lines(await apply(moved))).toEqual([])
  })

  it('sets, keeps, changes and removes the e-mail address of a user', async () => {
    const file = (email: string) => company('posted', `      - { login: pia, role: member${email} }`)
    const addresses = async () => {
      const users = db.selectFrom('users').select('email').where('login', '=', 'pia')
      return (await users.execute()).map(({ email }) => email)
    }
    await apply(file(', email: pia@people.test'))
    expect(lines(await apply(file('')))).toEqual([])
    expect(await addresses()).toEqual(['pia@people.test'])
    expect(lines(await apply(file(', email: p@people.test')))).toEqual([
      '~ user pia: email pia@people.test to p@people.test',
    ])
    expect(lines(await apply(file(', email: null')))).toEqual(['~ user pia: email p@people.test to none'])
    expect(await addresses()).toEqual([null])
    for (const wrong of ['pia', '"a@b\\r\\nBcc: c@d"', 'a@b c@d', '"<a@b>"'])
      expect(await problemsOf(file(`, email: ${wrong}`))).toEqual([
        expect.stringContaining('must be an e-mail address'),
      ])
  })

  it('does not change users when the file has no list of users', async () => {
    await apply(company('quiet'))
    expect(lines(await apply('companies: [{ name: quiet, departments: [{ name: new }] }]'))).toEqual([
      '+ department new: ',
    ])
  })

  it('creates a key once and changes its mutable fields', async () => {
    const file = (more: string) =>
      company(
        'keys',
        '',
        `    departments: [{ name: one, rooms: [{ name: floor }, { name: hall }] }]
    api_keys: [{ name: bot, owner: keys-admin, scope: sandbox, ${more} }]`,
      )
    const first = await apply(file('rooms: [one/floor]'))
    expect(first.apiKeys).toMatchObject([{ company: 'keys', name: 'bot' }])
    const hash = hashApiKey(services.peppers.present().key, first.apiKeys[0]?.api_key ?? '')
    expect(await findKeyCredentials(db, [hash])).toMatchObject([{ scope: 'sandbox', domains: ['*'] }])
    const wider = file('rooms: [one/floor, one/hall], expires_at: 2030-01-01T00:00:00Z')
    const second = await apply(wider)
    expect(lines(second)).toEqual(['~ api_key bot: rooms, domains or expiry'])
    expect(second.apiKeys).toEqual([])
    expect((await findKeyCredentials(db, [hash]))[0]?.allowed_chatroom_ids).toHaveLength(2)
    expect(lines(await apply(wider))).toEqual([])
  })

  it('accepts two concurrent applies', async () => {
    const both = await Promise.all([apply(company('race')), apply(company('race'))])
    expect(both.map((result) => result.changes.length).toSorted()).toEqual([0, 2])
  })

  it('hashes the passwords of new users before it locks the administrators', async () => {
    await apply(company('hashes'))
    const administrator = db
      .selectFrom('users')
      .select('id')
      .where('company_id', '=', await idOf('hashes'))
    const tries = { free: 0, locked: 0 }
    let isOver = false
    const watch = async () => {
      while (!isOver) {
        await administrator
          .forUpdate()
          .noWait()
          .execute()
          .then(
            () => (tries.free += 1),
            () => (tries.locked += 1),
          )
      }
    }
    const watching = watch()
    const users = Array.from({ length: 10 }, (_, n) => `      - { login: hashes-${n}, role: member }`)
    await apply(company('hashes', users.join('\n')))
    isOver = true
    await watching
    expect(tries.free).toBeGreaterThan(tries.locked)
  })

  it('reports every problem of a file with its line, and changes nothing', async () => {
    const before = await rowCount()
    const problems = await problemsOf(`companies:
  - name: many
    users:
      - login: many-admin
        role: boss
      - login: spaces are wrong
        role: member
    departments:
      - name: one
        rooms:
          - name: floor
            members: [nobody]
    colour: blue
`)
    expect(problems).toEqual([
      'line 4: companies[0].users: the company keeps at least one user with the role company_administrator',
      'line 5: companies[0].users[0].role: must be one of auditor, member, department_manager, company_manager, company_administrator',
      'line 6: companies[0].users[1].login: must be a login of 1 to 64 letters, digits and _.:@-',
      'line 12: companies[0].departments[0].rooms[0].members[0]: the company has no user "nobody"',
      'line 13: companies[0].colour: is not known here; known are name, departments, users, api_keys',
    ])
    expect(await rowCount()).toEqual(before)
  })
})

const one = (rest: string) => company('bad', '', rest)
const user = (fields: string) => company('bad', `      - { ${fields} }`)
const key = (fields: string) =>
  one(`    departments: [{ name: one, rooms: [{ name: floor, members: [] }] }]
    api_keys: [{ ${fields} }]`)

describe('an invalid company file', () => {
  const files: [string, string, RegExp][] = [
    ['empty', '', /must be a mapping of companies/],
    ['a list', '[]', /must be a mapping of companies/],
    ['without companies', '{}', /companies: is missing/],
    ['no YAML', 'companies: [', /line 1: /],
    ['two documents', 'companies: []\n---\ncompanies: []', /multiple documents/],
    ['a duplicate key', 'companies: []\ncompanies: []', /line 2: .*unique/],
    ['an alias without an anchor', 'companies: *x', /alias/i],
    ['an unknown tag', 'companies: !!js/function x', /tag/i],
    ['an alias bomb', bomb(), /alias/i],
    ['too large', `# ${'x'.repeat(1024 * 1024)}`, /larger than 1024 KiB/],
    ['a company without a name', 'companies: [{ users: [] }]', /name: is missing/],
    ['a company without an administrator', 'companies: [{ name: bad }]', /at least one user with the role/],
    ['a duplicate company', `${company('bad')}  - name: bad`, /"bad" comes twice/],
    ['a number as a name', one('    departments: [{ name: 7 }]'), /name: must be a text/],
    ['a slash in a name', one('    departments: [{ name: a/b }]'), /without slashes/],
    ['a control character in a name', one('    departments: [{ name: "a\\eb" }]'), /control characters/],
    ['a duplicate department', one('    departments: [{ name: a }, { name: a }]'), /"a" comes twice/],
    [
      'a duplicate room',
      one('    departments: [{ name: a, rooms: [{ name: b }, { name: b }] }]'),
      /"b" comes twice/,
    ],
    ['a mapping instead of a list', one('    departments: { name: a }'), /departments: must be a list/],
    [
      'a member who is also a manager',
      one(
        '    departments: [{ name: a, rooms: [{ name: b, managers: [bad-admin], members: [bad-admin] }] }]',
      ),
      /"bad-admin" comes twice/,
    ],
    ['a duplicate login', user('login: bad-admin, role: member'), /"bad-admin" comes twice/],
    ['a user without a role', user('login: x'), /role: is missing/],
    ['a login of another company', user('login: ada, role: member'), /taken by a user of another company/],
    [
      'a member who manages a department',
      user('login: x, role: member, manages: [a]'),
      /department_manager only/,
    ],
    [
      'an unknown department',
      user('login: x, role: department_manager, manages: [a]'),
      /no department is named "a"/,
    ],
    [
      'a client of an unknown channel',
      one('    departments: [{ name: a, rooms: [{ name: b, clients: [{ channel: fax, client_id: U1 }] }] }]'),
      /one of line, messenger, whatsapp/,
    ],
    [
      'a client with a space in its id',
      one(
        "    departments: [{ name: a, rooms: [{ name: b, clients: [{ channel: line, client_id: 'a b' }] }] }]",
      ),
      /letters, digits/,
    ],
    ['a short password', user('login: x, role: member, password: short'), /12 to 256 characters/],
    ['a password of digits', user('login: x, role: member, password: 123456789012'), /must be a text of 12/],
    ['a string as a flag', user('login: x, role: member, disabled: perhaps'), /must be true or false/],
    ['a key without rooms', key('name: k, owner: bad-admin, scope: sandbox'), /names its rooms/],
    [
      'a full key with rooms',
      key('name: k, owner: bad-admin, scope: full, rooms: [one/floor]'),
      /sandbox keys only/,
    ],
    ['a key of an unknown owner', key('name: k, owner: nobody, scope: full'), /no user "nobody"/],
    ['a key with an unknown scope', key('name: k, owner: bad-admin, scope: all'), /one of full, sandbox/],
    [
      'a key for an unknown room',
      key('name: k, owner: bad-admin, scope: sandbox, rooms: [one/x]'),
      /no room is named "one\/x"/,
    ],
    [
      'a path instead of an origin',
      key("name: k, owner: bad-admin, scope: full, domains: ['https://a.example/x']"),
      /an origin/,
    ],
    [
      'an expiry in the past',
      key('name: k, owner: bad-admin, scope: full, expires_at: 2020-01-01T00:00:00Z'),
      /in the future/,
    ],
    [
      'a date instead of a timestamp',
      key('name: k, owner: bad-admin, scope: full, expires_at: 2030-01-01'),
      /with its offset/,
    ],
  ]
  for (const [what, text, expected] of files) {
    it(`(${what}) is refused with its reason`, async () => {
      const problems = await problemsOf(text)
      expect(problems.join('\n')).toMatch(expected)
    })
  }

  it('never repeats a refused password in an error', async () => {
    const problems = await problemsOf(user('login: x, role: boss, password: "hunter2"'))
    expect(problems.join('\n')).not.toContain('hunter2')
  })

  it('writes no rows', async () => {
    const rows = await db.selectFrom('companies').select('id').where('name', '=', 'bad').execute()
    expect(rows).toEqual([])
  })
})

function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const inner = level === 0 ? 'x' : `*l${level - 1}`
    return `l${level}: &l${level} [${Array.from({ length: 9 }, () => inner).join(', ')}]`
  })
  return levels.join('\n')
}

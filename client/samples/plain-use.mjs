import { ApiError, createSandbox, encryptSecret } from '@sandbox-jobs/client'

// Run by package.test.ts with the installed package: `plain-use.mjs BASE_URL LOGIN PASSWORD`.
const [, , baseUrl, username, password] = process.argv
const open = createSandbox({ baseUrl })
const { access_token: token } = await open.createToken({ body: { username, password } })
const sandbox = createSandbox({ baseUrl, token })

const names = ['One', 'Two', 'Three'].map((name) => `${name} of ${process.version}`)
for (const name of names) await sandbox.createDepartment({ body: { name } })
const listed = []
for await (const { name } of sandbox.items('listDepartments', { query: { page_size: 2 } }))
  if (names.includes(name)) listed.push(name)

const refused = await sandbox.readDepartment({ params: { id: 'dep_1' } }).catch((error) => error)
const sealed = await encryptSecret(await sandbox.readPublicKey(), 'a secret value')
console.log(
  JSON.stringify({
    node: process.version,
    listed,
    refused: {
      typed: refused instanceof ApiError,
      code: refused.code,
      status: refused.status,
      hinted: refused.hint !== '',
      requestId: refused.requestId,
    },
    sealed: Object.keys(sealed),
  }),
)

import { randomUUID } from 'node:crypto'
import { fastify } from 'fastify'
import pg from 'pg'

/**
 * The peer of the API benchmarks: `hello PORT` returns a constant, `select PORT DATABASE_URL CONNECTIONS` the row
 * of a run, `insert` with the same arguments stores each body by one query. Fastify with its defaults, in the version that the service uses.
 */
const [kind, port, url, connections] = process.argv.slice(2)
const app = fastify()

const pool = new pg.Pool({ connectionString: url, max: Number(connections) })

if (kind === 'hello') app.get('/', async () => ({ hello: 'world' }))
else if (kind === 'select')
  app.get<{ Params: { id: string } }>('/runs/:id', async ({ params }) => {
    const { rows } = await pool.query({
      name: 'run',
      text: 'select * from runs where id = $1',
      values: [params.id],
    })
    return rows[0]
  })
else {
  await pool.query(
    'create table if not exists bench_inserts (id uuid primary key, body jsonb not null, at timestamptz not null default now())',
  )
  app.post('/', async (request) => {
    const id = randomUUID()
    const { rows } = await pool.query(
      'insert into bench_inserts (id, body) values ($1, $2) returning id, at',
      [id, JSON.stringify(request.body)],
    )
    return rows[0]
  })
}

await app.listen({ host: '127.0.0.1', port: Number(port) })
process.on('SIGTERM', () => process.exit(0))

import type { CsvReply, CsvRequest } from './csv-client.ts'
import { CsvTable } from './csv-table.ts'

/** The worker that has the text of one table. */
let table = new CsvTable('')

self.addEventListener('message', ({ data }: MessageEvent<CsvRequest>) => {
  const reply = answer(data)
  self.postMessage(reply)
})

function answer(request: CsvRequest): CsvReply {
  if (request.kind === 'rows')
    return { kind: 'rows', block: request.block, rows: table.rows(request.first, request.end) }
  if (request.kind === 'sort') table.sort(request.column, request.isDescending)
  else table = new CsvTable(new TextDecoder().decode(request.bytes))
  const { columns, widths, count } = table
  return { kind: 'table', columns, widths, count }
}

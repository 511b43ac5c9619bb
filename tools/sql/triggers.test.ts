import { expect, test } from 'vitest'
import { renderTriggers } from './triggers.ts'

test('triggers that differ only in the kind of change are one line of their table', () => {
  const schema = `create table things (
  id text
);
CREATE TRIGGER a AFTER DELETE ON things REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count('x');
CREATE TRIGGER b AFTER INSERT ON things REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count('x');
CREATE TRIGGER c BEFORE UPDATE OF id, name ON things FOR EACH ROW WHEN ((new.a | old.a)) EXECUTE FUNCTION keep();
CREATE TRIGGER d AFTER INSERT ON others FOR EACH ROW WHEN (true) EXECUTE FUNCTION note();
`
  expect(renderTriggers(schema)).toEqual([
    `## things

| When | Function |
|---|---|
| after insert or delete, each statement | \`count('x')\` |
| before update of id, name, each row, when \`(new.a \\| old.a)\` | \`keep()\` |
`,
    `## others

| When | Function |
|---|---|
| after insert, each row | \`note()\` |
`,
  ])
})

test('a trigger in another form is refused, and not left out', () => {
  expect(() =>
    renderTriggers('CREATE TRIGGER x INSTEAD OF INSERT ON y FOR EACH ROW EXECUTE FUNCTION z();'),
  ).toThrow('in another form')
})

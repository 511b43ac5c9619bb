// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfile variables look like this

import type { SeededRandom } from '../../../server/base/seeded-random.ts'
import { testBase } from '../dockerfile-cases.ts'

const sources = [
  `FROM scratch AS one\nLABEL a=1 \\\n  b=2\n# a comment\nENV PATH=/bin X="a b"\nFROM one\nCOPY --from=one /m /n\nCMD ["a", "b"]\n`,
  `ARG V=1\nFROM scratch\nARG V\nLABEL a="x y" \\\n# inside\n\n  b='z'\nWORKDIR /a/b\nEXPOSE 80/tcp\nSTOPSIGNAL 9\nUSER 1:1\n`,
  `FROM scratch\nADD m /x\nVOLUME ["/v"]\nENTRYPOINT ["/e", "--flag"]\nHEALTHCHECK --interval=5s CMD true\nSHELL ["/bin/sh"]\n`,
  `FROM ${testBase}\nRUN --mount=type=tmpfs,target=/t cat /a/m\nLABEL z=1\n`,
  `FROM ${testBase}\nRUN --mount=type=bind,target=/a cat /a/m\n`,
  `FROM ${testBase}\nRUN --mount=type=cache,id=c,target=/c \\\n  --mount=type=bind,source=.,target=/a cat /a/m\n`,
  `FROM scratch\nADD http://127.0.0.1:9/x /x\nLABEL a=1\n`,
  `FROM scratch\nCOPY --from=docker-archive:/x m /x\nLABEL a=1\n`,
  `FROM ${testBase}\nRUN cat <<A <<-"B"\nLABEL a=1\n\tA\nA\n\tB b\n\tB\nLABEL z=1\n`,
  `FROM ${testBase}\nRUN <<E\n--mount=type=bind,target=/a\nE\nRUN \\\n  cat <<'E' \\\n# c\n > /x\nE\\\nE\nCMD a\n`,
  `FROM scratch\nCOPY --chmod=755 <<a.sh <<b m \\\n /x/\n#!/bin/sh\na.sh\n$A 'b'\nb\nADD --link <<"E" /y\nE\nLABEL a=<<E\n`,
  `ARG B=1\nFROM --platform=$BUILDPLATFORM scratch AS b\nCOPY --chown="\${B}":"1" --chmod='755' m /x\nFROM scratch\nADD --from="b" --exclude="*.md" m /y\nCOPY --from="b" /x /y\n`,
  `FROM scratch AS b\nFROM ${testBase}\nRUN --mount=type=cache,target=/c//d/ --mount="source=m,target=./m" --mount=from=b,target=/b,ro=true true\n`,
  `FROM scratch\nRUN ["a", "b"] <<E\nRUN [ a ] <<E\nRUN "x <<E" y <<E\nE\nE\nE\nARG A=\${B:-c}\nCOPY <<E \${A:-/x}\nE\n`,
]

const pieces = [
  ' ',
  '\t',
  '\\',
  '\\\n',
  '\\ \n',
  '\n',
  '\r\n',
  '#',
  '\n#\n',
  '"',
  "'",
  '-',
  '--',
  '=',
  '$',
  '${V}',
  '`',
  ',',
  '<<E',
  '<<',
  ' <<-"E" ',
  "<<'E'",
  '<<<',
  '\nE\n',
  '\n\tE\n',
  'E',
  '1',
  '${A:-',
  '}',
  '["a"]',
  '\t',
  'COPY ',
  '[',
  ']',
  '\\n',
  '\u00a0',
  '\ufeff',
  'RUN ',
  'FROM ',
  'A',
  '//',
  '# escape=`\n',
  '|',
  ';',
]

/** One of the sources, changed in up to four places. */
export function mutatedDockerfile(draw: SeededRandom): string {
  let text = draw.of(sources)
  for (let count = draw.below(5); count > 0; count -= 1) {
    const at = draw.below(text.length + 1)
    const end = draw.chance(0.5) ? at : at + 1 + draw.below(3)
    text = text.slice(0, at) + (draw.chance(0.8) ? draw.of(pieces) : '') + text.slice(end)
  }
  return text
}

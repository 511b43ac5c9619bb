import { makeEverydayImage } from './everyday-image.ts'

/* For install/test-builder.sh. */
const made = await makeEverydayImage()
if (made) console.log('the image of everyday programs is made')

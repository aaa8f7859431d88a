/**
 * The body of a response that is a text already: JSON that the database has written. A handler returns it
 * instead of the value that the text means, and `res.json` sends it as it is.
 */
export class WrittenBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

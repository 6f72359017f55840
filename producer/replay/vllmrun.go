package replay

import "errors"

func playVLLMRun(p *player, folder string) error { return errors.New("not built") }
